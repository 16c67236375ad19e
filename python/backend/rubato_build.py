"""Builds the wheel and the source archive of the package beside it (PEP 517 and 660), with nothing but Python.

A wheel of pure Python is a zip file: the package, what pyproject.toml says as METADATA, and RECORD, which lists
all with their hashes. pyproject.toml is read here as far as this project's goes: Python below 3.11 has no reader of
TOML.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Dict, List, Mapping, Optional

ROOT = Path(__file__).resolve().parent.parent
Settings = Optional[Mapping[str, object]]
NAME = "rubato"


def _text_of(key: str) -> str:
    found = re.search(rf'^{key} = "([^"]*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"pyproject.toml: has no line {key} = \"...\"")
    return found.group(1)


def _metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {_text_of('version')}",
        f"Summary: {_text_of('description')}",
        "License: MIT",
        f"Requires-Python: {_text_of('requires-python')}",
        "Provides-Extra: pandas",
        "Requires-Dist: pandas ; extra == 'pandas'",
        "Provides-Extra: plot",
        "Requires-Dist: matplotlib ; extra == 'plot'",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(encoding="utf-8"),
    ])


def _info() -> str:
    return f"{NAME}-{_text_of('version')}.dist-info"


def _sources() -> List[Path]:
    return sorted(path for path in (ROOT / "src" / NAME).rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def _write_wheel(folder: str, files: Dict[str, bytes]) -> str:
    files[f"{_info()}/METADATA"] = _metadata().encode()
    files[f"{_info()}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: {Path(__file__).stem}\nRoot-Is-Purelib: true\n"
                                 "Tag: py3-none-any\n").encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{_info()}/RECORD"] = (record + f"{_info()}/RECORD,,\n").encode()
    wheel = f"{NAME}-{_text_of('version')}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)    # of 1980: the same sources give the same bytes
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None,
                metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel into that folder; the answer is its name."""
    files = {path.relative_to(ROOT / "src").as_posix(): path.read_bytes() for path in _sources()}
    return _write_wheel(wheel_directory, files)


def build_editable(wheel_directory: str, config_settings: Settings = None,
                   metadata_directory: Optional[str] = None) -> str:
    """The same for `pip install -e`: a file that adds src/ to the path."""
    return _write_wheel(wheel_directory, {f"{NAME}.pth": f"{ROOT / 'src'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Writes the source archive into that folder; the answer is its name."""
    base = f"{NAME}-{_text_of('version')}"
    paths = [ROOT / "pyproject.toml", ROOT / "README.md", Path(__file__).resolve(), *_sources()]
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in paths:
            archive.add(path, f"{base}/{path.relative_to(ROOT).as_posix()}")
        about = tarfile.TarInfo(f"{base}/PKG-INFO")
        about.size = len(_metadata().encode())
        archive.addfile(about, io.BytesIO(_metadata().encode()))
    return f"{base}.tar.gz"
