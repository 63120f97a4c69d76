"""Where compiled code is believed: what somebody else could have put there, or in its place, never is."""

from __future__ import annotations

import os
import stat
import sys
import time
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from armdyn.targets import cache, cache_eviction, cache_folder
from armdyn.targets.cache_folder import NoFolder, chosen_folder, make_folder, trusted_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX")

as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
not_as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
STRANGER = 12345


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a cache, and nobody's choice of another place."""
    for variable in ("ARMDYN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o700)
    return tmp_path / "home"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one entry."""
    place = tmp_path / "safe" / "cache"
    monkeypatch.setenv("ARMDYN_CACHE_DIR", str(place))
    monkeypatch.setattr(cache, "_warned", set())
    cache.write("kernel", "key", {"x": 1}, b"code")
    assert cache.read("kernel", "key") == ({"x": 1, "key": "key"}, b"code")
    return place


def entry(place: Path) -> Path:
    (found,) = place.glob("*.kernel")
    return found


def refused(match: str) -> None:
    """Reading finds nothing and says why, writing stores nothing."""
    with pytest.warns(RuntimeWarning, match=match):
        assert cache.read("kernel", "key") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was said once
        cache.write("kernel", "another key", {}, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="the place differs")
def test_the_usual_places(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_folder() == home / ".cache" / "armdyn"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "x"))
    assert chosen_folder() == home / "x" / "armdyn"
    monkeypatch.setenv("ARMDYN_CACHE_DIR", "~/y")
    assert chosen_folder() == home / "y"
    monkeypatch.setenv("ARMDYN_CACHE_DIR", "")
    assert chosen_folder() is None


@pytest.mark.parametrize("variable", ["ARMDYN_CACHE_DIR", "HOME", "XDG_CACHE_HOME"])
def test_relative_paths_are_refused_by_name(home: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """They are another folder in every working directory, also in a download that brings one along."""
    monkeypatch.chdir(home)
    monkeypatch.setenv(variable, "some/where")
    monkeypatch.setattr(cache, "_warned", set())
    with pytest.raises(NoFolder, match=f"{variable} is 'some/where', a relative path"):
        chosen_folder()
    refused(f"{variable} is 'some/where', a relative path")
    assert not any(home.iterdir())


def test_a_home_of_nobody_is_refused_by_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_CACHE_DIR", "~nobody-has-this-name/x")
    with pytest.raises(NoFolder, match="ARMDYN_CACHE_DIR is '~nobody-has-this-name/x'"):
        chosen_folder()


def test_everything_that_is_made_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        monkeypatch.setenv("ARMDYN_CACHE_DIR", str(tmp_path / "a" / "b"))
        cache.write("kernel", "key", {}, b"code")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700] * 2
    assert stat.S_IMODE(entry(tmp_path / "a" / "b").stat().st_mode) == 0o600


@pytest.mark.parametrize(("mode", "who"), [(0o777, "anyone"), (0o1777, "anyone"), (0o775, "group")])
@pytest.mark.parametrize("which", ["the folder", "the one above"])
def test_a_folder_that_others_may_write_to(
    place: Path, monkeypatch: pytest.MonkeyPatch, mode: int, who: str, which: str
) -> None:
    monkeypatch.setattr(cache_folder, "_is_private_group", lambda *_: False)
    folder = place if which == "the folder" else place.parent
    folder.chmod(mode)
    if mode == 0o1777 and which == "the one above":
        assert trusted_folder(place) == place  # nobody else can move it away, as in /tmp
    else:
        refused(rf"{who}.* may write .*chmod go-w {folder}")
    assert len(list(place.iterdir())) == 2


def test_a_group_of_the_users_own_is_nobody_else(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Distributions give every user such a group, and folders that it may write to."""
    import grp
    import pwd

    place.chmod(0o770)
    owner = pwd.getpwuid(os.getuid()).pw_name
    for name, members, is_private in [
        (owner, [], True),
        (owner, [owner], True),
        (owner, ["other"], False),
        ("x", [], False),
    ]:
        group = grp.struct_group((name, "x", 7, members))
        monkeypatch.setattr(grp, "getgrgid", lambda number, group=group: group)
        if is_private:
            assert trusted_folder(place) == place
        else:
            with pytest.raises(PermissionError, match=f"group {name} may write"):
                trusted_folder(place)
    monkeypatch.setattr(grp, "getgrgid", lambda number: grp.struct_group((owner, "x", number, [])))
    monkeypatch.setattr(os, "listxattr", lambda path: ["system.posix_acl_access"], raising=False)
    with pytest.raises(PermissionError, match="may write"):
        trusted_folder(place)


def test_links_on_the_way_are_followed_where_they_are_the_users(place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place.parent)
    (tmp_path / "further").symlink_to("link/../safe")
    assert trusted_folder(tmp_path / "link" / "cache") == trusted_folder(tmp_path / "further" / "cache") == place
    assert trusted_folder(place / ".." / "cache" / "..") == place.parent
    (tmp_path / "safe" / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        trusted_folder(tmp_path / "safe" / "loop" / "cache")
    (tmp_path / "nowhere").symlink_to("missing")
    with pytest.raises(FileNotFoundError):
        make_folder(tmp_path / "nowhere" / "cache")


def test_a_link_leads_to_a_folder_that_is_looked_at_too(place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place)
    place.parent.chmod(0o777)
    with pytest.raises(PermissionError, match=f"anyone may write to {place.parent}"):
        trusted_folder(tmp_path / "link")


@as_root
def test_what_belongs_to_others(place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place)
    os.chown(tmp_path / "link", STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(PermissionError, match=f"link belongs to user {STRANGER}"):
        trusted_folder(tmp_path / "link")
    os.chown(place.parent, STRANGER, STRANGER)
    with pytest.raises(PermissionError, match=f"safe belongs to user {STRANGER}"):
        trusted_folder(place)
    os.chown(place.parent, 0, 0)
    os.chown(entry(place), STRANGER, STRANGER)
    refused(f"an entry there belongs to user {STRANGER}")


def link_to_a_file_of_ones_own(path: Path) -> None:
    download = path.parent.parent / "download"
    path.replace(download)
    path.symlink_to(download)


def hard_link(path: Path) -> None:
    download = path.parent.parent / "download"
    path.replace(download)
    os.link(download, path)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("plant", "match"),
    [
        (link_to_a_file_of_ones_own, "symbolic links"),
        (hard_link, "no regular file of its own"),
        (pipe, "no regular file of its own"),
        (lambda path: path.chmod(0o620), "others may write to an entry"),
        (lambda path: (path.unlink(), path.mkdir()), ""),
    ],
    ids=["link", "hard link", "pipe", "group's", "folder"],
)
def test_what_is_no_file_of_ones_own_is_not_believed(place: Path, plant: Callable[[Path], object], match: str) -> None:
    planted = entry(place)
    plant(planted)
    with pytest.warns(RuntimeWarning, match=match):
        assert cache.read("kernel", "key") is None
    if planted.is_dir():
        return
    cache.write("kernel", "key", {}, b"right")
    assert cache.read("kernel", "key") == ({"key": "key"}, b"right")
    assert not (place.parent / "download").exists() or (place.parent / "download").read_bytes().endswith(b"code")


def test_temporary_names_are_never_written_through(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be guessed; if they were, what lies there is left alone."""
    target = place.parent / "precious"
    target.write_text("precious")
    monkeypatch.setattr(os, "urandom", lambda size: b"guessed")
    (place / f".{entry(place).name}.{b'guessed'.hex()}{cache_eviction.TEMPORARY}").symlink_to(target)
    with pytest.warns(RuntimeWarning, match="File exists"):
        cache.write("kernel", "key", {}, b"new")
    assert target.read_text() == "precious"


@not_as_root
def test_a_read_only_folder_is_read(place: Path) -> None:
    place.chmod(0o500)
    assert cache.read("kernel", "key") is not None
    with pytest.warns(RuntimeWarning, match="Permission denied"):
        cache.write("kernel", "other", {}, b"")


# How long entries stay.


def age(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_reading_marks_an_entry_as_used_once_a_day(place: Path) -> None:
    age(entry(place), 3000.0)
    before = entry(place).stat().st_mtime
    cache.read("kernel", "key")
    assert entry(place).stat().st_mtime == before
    age(entry(place), 2 * 86400.0)
    cache.read("kernel", "key")
    assert time.time() - entry(place).stat().st_mtime < 3600.0


def test_what_nobody_uses_goes(place: Path) -> None:
    left = place / f".x.kernel.1{cache_eviction.TEMPORARY}"
    young = place / f".y.kernel.2{cache_eviction.TEMPORARY}"
    strange = place / "notes.txt"
    for path in (left, young, strange):
        path.write_text("x")
    for path in (left, strange, entry(place)):
        age(path, cache_eviction.LONGEST_UNUSED + 60.0)
    cache_eviction.evict(place)
    assert {path.name for path in place.iterdir()} == {young.name, strange.name, ".looked_through"}


def test_of_too_much_the_longest_unused_goes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry(place).unlink()
    for k in range(10):
        cache.write("kernel", f"key {k}", {}, bytes(10_000))  # three blocks of 4096
    for k, path in enumerate(sorted(place.glob("*.kernel"))):
        age(path, 100.0 * k)
    paths = sorted(place.glob("*.kernel"))
    monkeypatch.setattr(cache_eviction, "MOST_BYTES", 10 * 3 * 4096 - 1)
    cache_eviction.evict(place)
    assert sorted(place.glob("*.kernel")) == paths[:7]  # three quarters of the bound hold seven
    cache_eviction.evict(place)
    assert len(list(place.glob("*.kernel"))) == 7


def test_the_folder_is_looked_through_once_an_hour(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    monkeypatch.setattr(cache_eviction, "evict", looked.append)
    monkeypatch.setattr(cache_eviction, "_writes", count(1))  # others have written before in this process
    cache.write("kernel", "a", {}, b"")
    assert not looked  # the fixture's entry was the first
    age(place / ".looked_through", 2 * 3600.0)
    for key in "bc":
        cache.write("kernel", key, {}, b"")
    assert looked == [place]


def test_what_another_process_removed_is_passed_over(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(path: Path) -> None:
        raise FileNotFoundError(path)

    age(entry(place), cache_eviction.LONGEST_UNUSED + 60.0)
    monkeypatch.setattr(Path, "unlink", gone)
    cache_eviction.evict(place)
