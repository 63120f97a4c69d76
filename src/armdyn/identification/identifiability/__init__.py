"""Base parameters: `combinations` of standard parameters that joint forces depend on, by structure or by random states.

`base_parameters` chooses between `structural`, link by link, and `numerical`, from regressors. Closed forms of symbolic
arms are eliminated in `armdyn.derivation.base_parameters`; `armdyn.model.regrouping` moves inertias of given numbers.
"""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
