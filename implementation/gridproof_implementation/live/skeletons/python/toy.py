"""A toy that stands in for your system; delete it.

Its members are processes that share a folder, in which each member has one file for each entry. As every member sees
all files, no member has to send a message. An agent in another language runs a member as a program, and sends it one
call on each line.
"""

import json
import os
import shutil
import sys
from hashlib import md5
from pathlib import Path
from urllib.parse import quote, unquote

ROOT = Path(os.environ.get("GRIDPROOF_FOLDER", ".")) / "toy"
PID = os.getppid() if __name__ == "__main__" else os.getpid()
"""The process id of the agent: a member lives as long as its agent does."""


class Toy:
    """One member."""

    name = ""
    partitions = 1
    backups = 0

    def join(self, name: str, partitions: int, backups: int) -> None:
        """Join the other members, and distribute the entries anew."""
        self.name, self.partitions, self.backups = name, partitions, backups
        ROOT.mkdir(parents=True, exist_ok=True)
        self.mend()
        # Other members remove a folder that has no pid of a live member, so the folder appears together with its pid.
        joining = ROOT.with_name(f"joining-{PID}")
        joining.mkdir()
        (joining / "pid").write_text(str(PID))
        joining.rename(ROOT / name)
        self._share()

    def leave(self) -> None:
        """Leave, after giving all entries to the other members."""
        (ROOT / self.name / "pid").unlink()
        self._share()
        shutil.rmtree(ROOT / self.name)

    def members(self) -> list[str]:
        """Return the members whose processes are alive."""
        return [folder.name for folder in sorted(ROOT.iterdir()) if _lives(folder / "pid")]

    def rows(self) -> list[list[str]]:
        """Return the members of each partition, the primary first."""
        members = self.members()
        return [self._row(members, partition) for partition in range(self.partitions)]

    def row(self, partition: int) -> list[str]:
        """Return the members that hold a partition, the primary first."""
        return self._row(self.members(), partition)

    def row_of(self, key: str) -> list[str]:
        """Return the members that hold a key, the primary first."""
        return self.row(self.partition_of(key))

    def partition_of(self, key: str) -> int:
        """Return the partition of a key."""
        return int(md5(key.encode()).hexdigest()[:8], 16) % self.partitions

    def put(self, key: str, value: str) -> int:
        """Write every copy; return how many there are."""
        row = self.row_of(key)
        for member in row:
            _write(ROOT / member / f"={quote(key, safe='')}", value.encode())
        return len(row)

    def get(self, key: str) -> str | None:
        """Read the entry from its first copy."""
        return self._read(self.row_of(key)[0], key)

    def remove(self, key: str) -> None:
        """Remove every copy of an entry."""
        for member in self.row_of(key):
            (ROOT / member / f"={quote(key, safe='')}").unlink(missing_ok=True)

    def size(self) -> int:
        """Count the entries, each once."""
        return len({file.name for folder in ROOT.iterdir() for file in folder.glob("=*")})

    def held(self, asked: int | None = None) -> dict[int, dict[str, str]]:
        """Return the entries of which this member has a copy, by partition; of one partition, or of all by default."""
        held: dict[int, dict[str, str]] = {}
        for file in (ROOT / self.name).glob("=*"):
            number = self.partition_of(key := unquote(file.name[1:]))
            # Files of other partitions stay unread; a file may be removed meanwhile.
            if asked in (None, number) and (value := self._read(self.name, key)) is not None:
                held.setdefault(number, {})[key] = value
        return held

    def held_of(self, partition: int) -> dict[str, str]:
        """Return the entries of one partition of which this member has a copy."""
        return self.held(partition).get(partition, {})

    def mend(self) -> str | None:
        """Remove the folders of dead members, and distribute the entries anew; return which member died, or None."""
        dead = [folder for folder in ROOT.iterdir() if not _lives(folder / "pid")]
        for folder in dead:
            shutil.rmtree(folder, ignore_errors=True)
        if not dead:
            return None
        self._share()
        return f"{dead[0].name} died"

    def _read(self, member: str, key: str) -> str | None:
        file = ROOT / member / f"={quote(key, safe='')}"
        return file.read_bytes().decode() if file.exists() else None

    def _row(self, members: list[str], partition: int) -> list[str]:
        """Return the members for a partition, chosen by hash, so that few rows change when a member joins or ends."""
        return sorted(members, key=lambda name: md5(f"{partition} {name}".encode()).hexdigest())[: 1 + self.backups]

    def _share(self) -> None:
        """Put every entry on the members of its row, and on no others."""
        rows = self.rows()
        values = {file.name: file.read_bytes() for folder in ROOT.iterdir() for file in folder.glob("=*")}
        for name, value in values.items():
            row = rows[self.partition_of(unquote(name[1:]))]
            for folder in ROOT.iterdir():
                if folder.name in row:
                    _write(folder / name, value)
                else:
                    (folder / name).unlink(missing_ok=True)


def _lives(file: Path) -> bool:
    try:
        os.kill(int(file.read_text()), 0)
    except (OSError, ValueError):
        return False
    return True


def _write(file: Path, value: bytes) -> None:
    half = file.with_name(f"{os.getpid()}-{file.name}")
    half.write_bytes(value)
    half.replace(file)


def answer_all() -> None:
    """Serve an agent in another language: each line from the agent names a method and its arguments, and the answer
    says what the method returned or raised."""
    toy = Toy()
    for line in sys.stdin.buffer:
        method, *asked = json.loads(line)
        try:
            answer = {"value": getattr(toy, method)(*asked)}
        except (OSError, LookupError, ValueError) as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    answer_all()
