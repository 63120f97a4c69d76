"""Compiles one MJCF file in a process of its own: a script that imports MuJoCo only, and reads the rest from stdin."""

import contextlib
import json
import sys
from pathlib import Path

MEMORY = 8 * 2**30
"""Bytes of memory that the compiler may use."""


def main() -> None:
    """Compile the requested file, within limits of memory."""
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    compile_file(request["file"], Path(request["folder"]))


def compile_file(file: str, folder: Path) -> None:
    """Compile a file, and write the model and the compiler's messages into a folder."""
    warnings: list[str] = []
    entries: dict[str, object] = {"warnings": warnings, "replaced": [], "meshes": {}}
    try:
        import mujoco  # noqa: PLC0415

        from armdyn.formats.mjcf.missing_files import compiled_file  # noqa: PLC0415

        mujoco.set_mju_user_warning(warnings.append)
        result = compiled_file(mujoco, file)
        entries |= {"replaced": result.names, "meshes": result.meshes}
        mujoco.mj_saveModel(result.model, str(folder / "model.mjb"), None)
    except Exception as error:
        entries["refusal"] = str(error)
    (folder / "said.json").write_text(json.dumps(entries), encoding="utf-8")


if __name__ == "__main__":
    main()
