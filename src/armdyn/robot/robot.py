"""A robot; its methods compute every quantity of its dynamics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import TraceError, UnknownName, excerpt
from armdyn.base.imported import Imported, exported
from armdyn.base.threads import cached_property
from armdyn.declaration import Function, function
from armdyn.model.constraints import Row, rows_in
from armdyn.model.joint import Joint
from armdyn.model.model import Model
from armdyn.robot.groups import index
from armdyn.robot.habits import HABITS, without_attribute
from armdyn.robot.imported import Edited, ImportedReader, OfModel
from armdyn.robot.method import Method
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    import armdyn.actuators.vibration
    import armdyn.constraints.actuators
    import armdyn.constraints.checked
    import armdyn.constraints.closing
    import armdyn.constraints.motion
    import armdyn.constraints.rank
    import armdyn.constraints.wrenches
    import armdyn.fmi.arm
    import armdyn.formats.dh
    import armdyn.formats.export.dh
    import armdyn.formats.export.mjcf
    import armdyn.formats.export.screws
    import armdyn.formats.export.urdf
    import armdyn.formats.export.zero_reference
    import armdyn.formats.links
    import armdyn.formats.mjcf.reader
    import armdyn.formats.screws
    import armdyn.formats.urdf.reader
    import armdyn.formats.zero_reference
    import armdyn.identification.identifiability.base_parameters
    import armdyn.kinematics.inverse
    import armdyn.kinematics.rates
    import armdyn.model.editing
    import armdyn.model.payload
    import armdyn.model.standard_parameters
    import armdyn.robot.editing
    import armdyn.robot.exporting
    import armdyn.robot.flexible_link
    import armdyn.robot.friction_map
    import armdyn.robot.locking
    import armdyn.robot.renaming
    import armdyn.robot.sampling
    import armdyn.task_space
    from armdyn.functions import CompiledFunction
    from armdyn.model.coupling import Coordinate
    from armdyn.model.mechanism import Mechanism
    from armdyn.program import Program
else:
    armdyn = sys.modules["armdyn"]  # the package, whose modules the methods below import at first access

ALGORITHMS, EQUATIONS, ACTUATORS = "armdyn.algorithms", "armdyn.constraints.equations", "armdyn.actuators"

COMMANDS = "current_commands of the forces that constrained_inverse_dynamics gives"
"""The replacement of functions of motors if the forces depend on constraints, for messages."""
STIFF = "constrained_inverse_dynamics of robot.without_springs()"
"""The replacement of functions of springs if there are constraints, for messages."""


class Robot:
    """A robot arm, or a tree of them, whose methods compute its dynamics. Immutable; safe to share and pickle.

    Make one with `armdyn.load`, `Robot.from_urdf`, `from_mjcf`, `from_screws`, `from_dh`, `from_zero_reference`,
    `from_links`, or from a `Model`.

    >>> robot = armdyn.load("ur5")
    >>> robot.mass_matrix(np.zeros(6)).shape
    (6, 6)
    """

    # The equations of motion and their derivatives
    inverse_dynamics = Method(ALGORITHMS, with_constraints="constrained_inverse_dynamics")
    forward_dynamics = Method(ALGORITHMS, with_constraints="constrained_forward_dynamics")
    inverse_dynamics_derivatives = Method(
        ALGORITHMS,
        derivatives_of="inverse_dynamics",
        with_constraints="robot.compile(armdyn.constraints.constrained_inverse_dynamics).derivative",
    )
    forward_dynamics_derivatives = Method(
        ALGORITHMS,
        derivatives_of="forward_dynamics",
        with_constraints="robot.compile(armdyn.constraints.constrained_forward_dynamics).derivative",
    )
    # Their matrices
    mass_matrix = Method(ALGORITHMS)
    mass_matrix_dot = Method(ALGORITHMS)
    inverse_mass_matrix = Method(
        ALGORITHMS,
        with_constraints="acceleration_projection(q) @ inv(mass_matrix(q)), which is dqdd/dtau within them",
    )
    coriolis_matrix = Method(ALGORITHMS)
    christoffel = Method(ALGORITHMS)
    coriolis_coefficients = Method(ALGORITHMS)
    centrifugal_coefficients = Method(ALGORITHMS)
    transposed_coriolis_forces = Method(ALGORITHMS)
    closed_form = Method(ALGORITHMS)
    # The terms of tau = M qdd + c + g + friction + J^T f_tip
    bias_forces = Method(ALGORITHMS)
    friction_forces = Method(ALGORITHMS)
    holding_forces = Method(ALGORITHMS)
    gravity_forces = Method(ALGORITHMS)
    velocity_forces = Method(ALGORITHMS)
    parallel_spring_forces = Method(ALGORITHMS)
    tip_forces = Method(ALGORITHMS)
    external_wrench = Method(ALGORITHMS)
    # Positions and velocities
    joint_positions = Method(ALGORITHMS)
    forward_kinematics = Method(ALGORITHMS)
    link_poses = Method(ALGORITHMS)
    jacobian = Method(ALGORITHMS)
    jacobian_dot = Method(ALGORITHMS)
    bias_acceleration = Method(ALGORITHMS)
    link_motion = Method(ALGORITHMS)
    joint_reactions = Method(ALGORITHMS, with_constraints="constraint_forces for what loops carry")
    newton_euler = Imported(lambda: armdyn.robot.newton_euler.newton_euler)
    # Constraints and loops
    constraint_error = Method(EQUATIONS, of_constraints=True)
    constraint_jacobian = Method(EQUATIONS, of_constraints=True)
    constraint_velocity = Method(EQUATIONS, of_constraints=True)
    constraint_drift = Method(EQUATIONS, of_constraints=True)
    constraint_forces = Method(EQUATIONS, of_constraints=True)
    # Energy and momentum
    kinetic_energy = Method(ALGORITHMS)
    potential_energy = Method(ALGORITHMS)
    kinetic_energy_derivatives = Method(ALGORITHMS)
    generalized_momentum = Method(ALGORITHMS)
    momentum = Method(ALGORITHMS)
    momentum_matrix = Method(ALGORITHMS)
    momentum_rate = Method(ALGORITHMS)
    center_of_mass = Method(ALGORITHMS)
    center_of_mass_velocity = Method(ALGORITHMS)
    center_of_mass_jacobian = Method(ALGORITHMS)
    # Linear in the inertial parameters
    regressor = Method(ALGORITHMS)
    momentum_regressor = Method(ALGORITHMS)
    lagrangian_gradient_regressor = Method(ALGORITHMS)
    kinetic_energy_regressor = Method(ALGORITHMS)
    potential_energy_regressor = Method(ALGORITHMS)
    # The motors of joints with actuators
    motor_torques = Method(ACTUATORS, of_motors=True, with_constraints=COMMANDS)
    motor_currents = Method(ACTUATORS, of_motors=True, with_constraints=COMMANDS)
    motor_voltages = Method(ACTUATORS, of_motors=True, with_constraints=COMMANDS)
    electrical_power = Method(ACTUATORS, of_motors=True, with_constraints=COMMANDS)
    current_commands = Method(ACTUATORS, of_motors=True)
    forces_of_currents = Method(ACTUATORS, of_motors=True)
    # Flexible joints
    flexible_forward_dynamics = Method(ACTUATORS, of_springs=True)
    flexible_inverse_dynamics = Method(ACTUATORS, of_springs=True, with_constraints=STIFF)
    flexible_kinetic_energy = Method(ACTUATORS, of_springs=True)
    flexible_multipliers = Method(ACTUATORS, of_springs=True, of_constraints=True)
    spring_deflections = Method(ACTUATORS, of_springs=True)
    spring_energy = Method(ACTUATORS, of_springs=True)

    # Robots from descriptions
    from_urdf = ImportedReader(lambda: armdyn.formats.urdf.reader.read_urdf)
    from_mjcf = ImportedReader(lambda: armdyn.formats.mjcf.reader.read_mjcf)
    from_screws = ImportedReader(lambda: armdyn.formats.screws.read_screws)
    from_dh = ImportedReader(lambda: armdyn.formats.dh.read_dh)
    from_zero_reference = ImportedReader(lambda: armdyn.formats.zero_reference.read_zero_reference)
    from_links = ImportedReader(lambda: armdyn.formats.links.read_links)

    # And back
    to_screws = OfModel(lambda: armdyn.formats.export.screws.write_screws)
    to_zero_reference = OfModel(lambda: armdyn.formats.export.zero_reference.write_zero_reference)
    to_dh = OfModel(lambda: armdyn.formats.export.dh.write_dh)
    to_c = Imported(lambda: armdyn.robot.exporting.to_c)
    to_fmu = Imported(lambda: armdyn.fmi.arm.robot_fmu)
    to_urdf = OfModel(lambda: armdyn.formats.export.urdf.write_urdf)
    to_mjcf = OfModel(lambda: armdyn.formats.export.mjcf.write_mjcf)

    # Other robots from this one
    with_gravity = Edited(lambda: armdyn.robot.editing.with_gravity)
    with_tip = Edited(lambda: armdyn.robot.editing.with_tip)
    with_payload = Edited(lambda: armdyn.model.payload.with_payload)
    with_locked = Edited(lambda: armdyn.robot.locking.with_locked)
    with_inertia = Edited(lambda: armdyn.model.editing.with_inertia)
    with_limits = Edited(lambda: armdyn.model.editing.with_limits)
    with_armature = Edited(lambda: armdyn.model.editing.with_armature)
    with_actuators = Edited(lambda: armdyn.model.editing.with_actuators)
    without_springs = Edited(lambda: armdyn.model.editing.without_springs)
    with_friction = Edited(lambda: armdyn.model.editing.with_friction)
    without_friction = Edited(lambda: armdyn.model.editing.without_friction)
    with_parallel_springs = Edited(lambda: armdyn.model.editing.with_parallel_springs)
    without_parallel_springs = Edited(lambda: armdyn.model.editing.without_parallel_springs)
    with_elements = Edited(lambda: armdyn.robot.editing.with_elements)
    with_flexible_link = Edited(lambda: armdyn.robot.flexible_link.with_flexible_link)
    renamed = Edited(lambda: armdyn.robot.renaming.renamed)
    with_joint_order = Edited(lambda: armdyn.robot.editing.with_joint_order)
    with_mimic = Edited(lambda: armdyn.robot.editing.with_mimic)
    with_coordinates = Edited(lambda: armdyn.robot.editing.with_coordinates)
    with_joint_equations = Edited(lambda: armdyn.robot.editing.with_joint_equations)
    without_couplings = Edited(lambda: armdyn.robot.editing.without_couplings)
    with_constraints = Edited(lambda: armdyn.robot.editing.with_constraints)
    with_independent_constraints = Imported(lambda: armdyn.robot.editing.with_independent_constraints)
    without_constraints = Edited(lambda: armdyn.robot.editing.without_constraints)

    # Inertial parameters
    standard_parameters = OfModel(lambda: armdyn.model.standard_parameters.standard_parameters)
    base_parameters = Imported(lambda: armdyn.identification.identifiability.base_parameters.base_parameters)
    with_standard_parameters = Edited(lambda: armdyn.model.standard_parameters.with_standard_parameters)

    # Motions and tasks
    inverse_kinematics = Imported(lambda: armdyn.kinematics.inverse.inverse_kinematics)
    joint_rates = Imported(lambda: armdyn.kinematics.rates.joint_rates)
    joint_accelerations = Imported(lambda: armdyn.kinematics.rates.joint_accelerations)
    task_space = Imported(lambda: armdyn.task_space.task_space)
    cartesian_dynamics = Imported(lambda: armdyn.task_space.cartesian_dynamics)
    friction_map = Imported(lambda: armdyn.robot.friction_map.friction_map)
    random_configuration = Imported(lambda: armdyn.robot.sampling.random_configuration)
    simulate = exported("armdyn.simulation")
    plot = exported("armdyn.plots.robot")
    to_page = exported("armdyn.page")
    view = exported("armdyn.viewer")

    # Of robots with flexible joints
    vibration_modes = Imported(lambda: armdyn.actuators.vibration.vibration_modes)

    # Of robots with constraints, checked state by state
    constrained_forward_dynamics = Imported(lambda: armdyn.constraints.checked.checked_forward_dynamics)
    constrained_inverse_dynamics = Imported(lambda: armdyn.constraints.checked.checked_inverse_dynamics)
    hybrid_forces = Imported(lambda: armdyn.constraints.checked.checked_hybrid_forces)
    force_projection = Imported(lambda: armdyn.constraints.checked.checked_force_projection)
    acceleration_projection = Imported(lambda: armdyn.constraints.checked.checked_acceleration_projection)
    actuator_forces = Imported(lambda: armdyn.constraints.actuators.actuator_forces)
    constraint_rank = Imported(lambda: armdyn.constraints.rank.constraint_rank)
    close_loop = Imported(lambda: armdyn.constraints.closing.close_loop)
    close_velocities = Imported(lambda: armdyn.constraints.motion.close_velocities)
    close_accelerations = Imported(lambda: armdyn.constraints.motion.close_accelerations)
    constraint_wrench = Imported(lambda: armdyn.constraints.wrenches.constraint_wrench)
    multipliers_of_wrench = Imported(lambda: armdyn.constraints.wrenches.multipliers_of_wrench)

    def __init__(self, model: Model) -> None:
        self.__dict__["model"] = model

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"robots are immutable; {name!r} cannot be set. Use robot.with_gravity and the like")

    model: Model

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.model.name

    @property
    def dof(self) -> int:
        """n, the size of q: the number of joints, or of the coordinates that move them if they are coupled."""
        return len(self.model.coordinates)

    @property
    def n(self) -> int:
        """The size of q, as `dof`."""
        return self.dof

    @cached_property
    def lower(self) -> Array:
        """Lower limits of q, rad or m, shape (n,); -inf without a limit. Read-only."""
        return self._of_limits("lower")

    @cached_property
    def upper(self) -> Array:
        """Upper limits of q, rad or m, shape (n,); inf without a limit. Read-only.

        >>> armdyn.load("ur5").upper.round(3)
        array([6.283, 6.283, 3.142, 6.283, 6.283, 6.283])
        """
        return self._of_limits("upper")

    @cached_property
    def velocity_limits(self) -> Array:
        """Largest speeds of the joints, rad/s or m/s, shape (n,); inf without a limit. Read-only."""
        return self._of_limits("velocity")

    @cached_property
    def effort_limits(self) -> Array:
        """Largest joint forces, N m or N, shape (n,); inf without a limit. Read-only."""
        return self._of_limits("effort")

    def _of_limits(self, quantity: str) -> Array:
        values = np.array([getattr(joint.limits, quantity) for joint in self.joints], dtype=float)
        values.flags.writeable = False
        return values

    @property
    def joints(self) -> tuple[Joint | Coordinate, ...]:
        """The entries of q, in order: the joints, or the coordinates that move them if they are coupled."""
        return self.model.coordinates

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the entries of q, in order."""
        return tuple(joint.name for joint in self.model.coordinates)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, base first."""
        return self.model.link_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: links, and frames welded to them."""
        return tuple(frame.name for frame in self.model.frames)

    @property
    def tip(self) -> str | None:
        """Name of the tip frame, or None if the tree has several ends and none was chosen."""
        return self.model.tip

    @cached_property
    def constraint_rows(self) -> tuple[Row, ...]:
        """The scalar equations of all constraints, in the order of the rows of A: name, unit, kind."""
        return rows_in(self.model)

    @property
    def gravity(self) -> Array:
        """The acceleration of free fall in base axes, m/s^2, shape (3,)."""
        return self.model.gravity

    @property
    def notes(self) -> tuple[str, ...]:
        """Parts of the description that the equations leave out, and the choice of the tip: one sentence each."""
        return self.model.notes

    @cached_property
    def mechanism(self) -> Mechanism:
        """The model in canonical link frames, in float64, for functions that run on numbers in plain Python."""
        return self.exact_mechanism.rounded

    @cached_property
    def exact_mechanism(self) -> Mechanism:
        """The model in canonical link frames, in `armdyn.base.exact.Exact` numbers, with which functions are traced."""
        from armdyn.model.canonical import canonical  # noqa: PLC0415 - slow to import

        return canonical(self.model)

    def compile(
        self,
        fn: str | Function | Callable[..., object],
        *,
        signature: str | None = None,
        parameters: Iterable[str] = (),
    ) -> CompiledFunction:
        """Compile a function of your own: a controller, a cost, an observer; or one of armdyn's, by its name.

        Args:
            fn: declared with ``@armdyn.function("(n),(n)->(n)")``, or a plain function of (model, arrays...) together
                with ``signature``. It may call anything in `armdyn.algorithms`. Or the name of a method of the robot,
                such as "mass_matrix".
            signature: shapes of its arrays and results, if it is not declared.
            parameters: model parameters that become inputs after the arrays: "gravity"; "LINK.mass", "LINK.com",
                "LINK.inertia" in place of a link's own; "JOINT.armature", "JOINT.damping", "JOINT.friction" in place of
                a joint's, "JOINT.spring.stiffness", "JOINT.spring.damping", "JOINT.spring.cubic" of its spring,
                "JOINT.parallel_spring.stiffness" and so on of a spring in parallel with its drive; or
                "FRAME.payload.mass", "FRAME.payload.com", "FRAME.payload.inertia" of a body fixed to a frame, seen from
                it, which is added. They come after all arrays, also those that may be left out: give them by name,
                with underscores for dots, ``tool0_payload_mass=2.0``, if the function has such arrays. A pattern
                such as "*.mass" stands for all that match it, payloads only if it has "payload" in it.

        >>> @armdyn.function("(n),(n),(n),(n)->(n),()")
        ... def computed_torque(model, q, qd, q_ref, gains):
        ...     "Torques N m, shape (..., n), and kinetic energy J of a computed-torque controller."
        ...     qdd = gains * (q_ref - q) - 2 * np.sqrt(gains) * qd
        ...     tau = armdyn.algorithms.inverse_dynamics(model, q, qd, qdd)
        ...     return tau, armdyn.algorithms.kinetic_energy(model, q, qd)
        >>> control = armdyn.load("ur5").compile(computed_torque)
        >>> tau, energy = control(np.zeros((1000, 6)), np.zeros(6), np.ones(6), np.full(6, 25.0))
        >>> tau.shape, energy.shape
        ((1000, 6), (1000,))
        >>> armdyn.load("ur5").compile("mass_matrix", parameters=["wrist_3_link.mass"])(np.zeros(6), 2.5).shape
        (6, 6)
        """
        declared = self._named(fn) if isinstance(fn, str) else _declared(fn, signature)
        method = vars(type(self)).get(declared.name)
        if isinstance(method, Method) and method.function is declared:
            method.refuse_where_wrong(self)
        from armdyn.functions import CompiledFunction  # noqa: PLC0415 - slow to import

        return CompiledFunction(self, declared, parameters)

    def _named(self, name: str) -> Function:
        """The declared function of the method of a name."""
        method = vars(type(self)).get(name)
        if isinstance(method, Method):
            return method.function
        if name in HABITS:
            raise UnknownName(f"no function {excerpt(name)} in {self.name!r}; here it is robot.{HABITS[name]}")
        choices = [
            each for each, method in vars(type(self)).items() if isinstance(method, Method) and method.fits(self)
        ]
        raise UnknownName.of("function", name, choices, repr(self.name))

    def program(
        self, fn: str | Function | Callable[..., Any], *, signature: str | None = None, **options: Any
    ) -> Program:
        """The straight-line program of a function of this robot, by itself or by its name, with its operation counts.

        >>> print(armdyn.load("planar_2r").program("mass_matrix").op_counts)
        1m + 6a + 2t
        """
        return self.compile(fn, signature=signature).program(**options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Robot) and self.model.digest == other.model.digest

    def __hash__(self) -> int:
        return hash(self.model.digest)

    def __reduce__(self) -> tuple[type[Robot], tuple[Model]]:
        return Robot, (self.model,)

    if not TYPE_CHECKING:  # else every name would be one of robots

        def __getattr__(self, name: str) -> Any:
            """Called for names that robots do not have: those of other libraries lead to ours."""
            if name in HABITS:
                raise AttributeError(without_attribute(type(self).__name__, name))
            raise AttributeError(without_attribute(type(self).__name__, name), name=name, obj=self)

    def __str__(self) -> str:
        """A table of joints, kinds, limits and links; base, tip, mass, gravity, actuators and notes below it."""
        from armdyn.robot.summary import summary  # noqa: PLC0415 - when it is called

        return str(summary(self.model))

    def _repr_html_(self) -> str:
        from armdyn.robot.summary import summary  # noqa: PLC0415 - when it is called

        return summary(self.model).html()

    def __repr__(self) -> str:
        joints = ", ".join(self.joint_names) if self.dof <= 3 else f"{self.joint_names[0]}, ..., {self.joint_names[-1]}"
        noun = ("joint" if self.model.coupling is None else "coordinate") + ("s" if self.dof > 1 else "")
        moved = "" if self.model.coupling is None else f" of {len(self.model.joints)} joints"
        return f"<Robot {self.name!r}: {self.dof} {noun}{moved} ({joints}), tip {self.tip!r}>"


_INDEX = f"What to ask, by what the answer is about:\n\n{index(vars(Robot))}"
Robot.__doc__ = f"{Robot.__doc__}\n{indent(_INDEX, '    ')}\n    "


def _declared(fn: Function | Callable[..., object], signature: str | None) -> Function:
    if isinstance(fn, Function):
        return fn
    if signature is None:
        raise TraceError(
            f"{getattr(fn, '__name__', fn)!r} is not declared; put @armdyn.function('(n),(n)->(n)') on it, "
            "or pass signature="
        )
    return function(signature)(fn)
