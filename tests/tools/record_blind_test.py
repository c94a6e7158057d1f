"""What a GPU timed of kernels that were predicted before."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

from record_blind import measured_set  # noqa: E402

PREDICTED = {"blind": [{"name": "b", "ms": 4, "binds": "x"}, {"name": "a", "ms": 3, "binds": "y"}]}


def run(a: float, b: float):
    return {"kernels": [{"name": "a", "measured_ms": a}, {"name": "b", "measured_ms": b}]}


class RecordBlind(unittest.TestCase):
    def test_of_each_kernel_the_median_of_the_runs_stands_beside_what_was_predicted(self):
        self.assertEqual(
            measured_set("sixth", PREDICTED, [run(1, 9), run(5, 8), run(2, 7)]),
            {
                "name": "sixth",
                "kernels": [
                    {"name": "a", "measured_ms": 2, "predicted_ms": 3, "binds": "y"},
                    {"name": "b", "measured_ms": 8, "predicted_ms": 4, "binds": "x"},
                ],
            },
        )

    def test_runs_of_other_kernels_are_no_runs_of_the_same(self):
        with self.assertRaises(ValueError):
            measured_set("sixth", PREDICTED, [run(1, 9), {"kernels": run(1, 9)["kernels"][:1]}])


if __name__ == "__main__":
    unittest.main()
