"""What an editor is told about files that it may not write."""

import pytest

from sandbook.files.entries import FileInfo
from sandbook_server.access import access_from

STATUS = "Name:\tx\nUid:\t0\t1000\t0\t0\nGid:\t0\t100\t0\t0\nGroups:\t20 30 \nCapEff:\t{caps}\n"
MOUNTS = """\
1 0 0:1 / / rw,relatime - overlay overlay rw,lowerdir=/x
2 1 0:2 / /usr ro,nosuid master:1 - ext4 /dev/sda rw
3 1 0:3 / /usr/local/with\\040space rw - tmpfs tmpfs rw
4 1 0:4 / /data rw - ext4 /dev/sdb ro
"""


def access(caps="0"):
    return access_from(STATUS.format(caps=caps), MOUNTS)


def info(mode, uid=1000, gid=100):
    return FileInfo("x", "file", 1, mode, uid, gid, 0)


@pytest.mark.parametrize(
    ("found", "may"),
    [
        (info(0o600), True),
        (info(0o466), False),
        (info(0o060, uid=5), True),
        (info(0o020, uid=5, gid=30), True),
        (info(0o602, uid=5, gid=30), False),
        (info(0o002, uid=5, gid=6), True),
        (info(0o770, uid=5, gid=6), False),
    ],
)
def test_it_is_what_the_mode_says_for_this_user(found, may):
    assert access().may_write("/workspace/x", found) is may


def test_root_with_its_powers_writes_everything_but_what_is_read_only():
    almighty = access(caps="2")

    assert almighty.may_write("/workspace/x", info(0o000, uid=5))
    assert not almighty.may_write("/usr/bin/env", info(0o755))
    assert not almighty.may_write("/data/x", info(0o755))
    assert almighty.may_write("/usr/local/with space/x", info(0o644))
    assert almighty.may_write("/usrx", info(0o644))
