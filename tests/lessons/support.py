"""What several tests of the lesson tool need; it is imported first, and finds the tool."""

import sys
import tempfile
import unittest
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(COURSE / "course/tutor/lessons"))

from markers import LessonError  # noqa: E402


class LessonTest(unittest.TestCase):
    """A test with a folder that is empty at first and gone afterwards."""

    def setUp(self):
        # A name that ends in "76s" would be masked as a time.
        holder = tempfile.TemporaryDirectory(prefix="lessons-", suffix="folder")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def write(self, name, text, executable=False):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, newline="")
        if executable:
            file.chmod(0o700)
        return file

    def read(self, name):
        return (self.folder / name).read_text()

    def refused(self, words, action, *arguments, **options):
        """The action raises; its message, "line: message" where known, has the words."""
        with self.assertRaises(LessonError) as raised:
            action(*arguments, **options)
        error = raised.exception
        self.assertIn(words, f"{error.line}: {error}" if error.line else str(error))
