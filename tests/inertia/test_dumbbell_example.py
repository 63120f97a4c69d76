"""The example runs and prints the figures of the exercise."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "dumbbell.py"


def test_example_prints_the_answers() -> None:
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, EXAMPLE], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    # I_xx + m d^2 = 2.7711 + 64.717 * 0.3^2; moment of w x I w = (0, (I_xx - I_zz) w_x w_z, 0)
    for shown in ("64.717 kg", "2.7711 kg m^2", "0.2517 kg m^2", "8.5956 kg m^2", "(0.00, 30.23, 0.00) N m"):
        assert shown in done.stdout, done.stdout
