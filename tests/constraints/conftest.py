import sys
from pathlib import Path

here = Path(__file__).parent
sys.path.insert(0, str(here))  # for parts and linkages, which several files share
sys.path.insert(0, str(here.parents[1]))  # for the mechanisms of the benchmarks
