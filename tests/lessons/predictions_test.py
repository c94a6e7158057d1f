"""What the time model said, beside what was measured, and bounds on how far off it is."""

import json
import unittest

from support import COURSE, LessonTest
from predictions import Errors, blind_steps, blind_steps_elsewhere, predicted_steps, printed_band
from predictions import steps_since
from results import results_table

H200 = COURSE / "docs/results/nvidia-h200_predictions.json"
RUN = {"chapter": "05_sum", "n": 64, "l2": "warm"}
MEASURED = {"v0_a": 4.0, "v1_b": 1.0, "v2_c": 1.05}
PREDICTED = [
    {"name": "v0_a", "ms": 2.0, "binds": "waits for memory", "term": "latency"},
    {"name": "v1_b", "ms": 3.0, "binds": "memory: 90 % of the ceiling", "term": "memory"},
    {"name": "v2_c", "refused": "why not"},
]
SEEN = (
    ("v0_a", "--n 64", {"stall_long_scoreboard": 9.0, "stall_barrier": 1.0, "unit_issue": 20.0}),
    (
        "v1_b",
        "--n 2^6 --only v1",
        {"stall_long_scoreboard": 1, "stall_barrier": 8, "unit_issue": 50, "unit_l1": 10},
    ),
)


class Predictions(LessonTest):
    def record(self, what, runs):
        return self.write(f"docs/results/card_{what}.json", json.dumps({"runs": runs}))

    def test_they_stand_beside_what_was_measured_and_what_ncu_saw(self):
        steps = [{"name": name, "ms": ms} for name, ms in MEASURED.items()]
        results = self.record("05_sum", [RUN | {"device": "Card", "steps": steps}])
        file = self.record("predictions", [RUN | {"steps": PREDICTED}])
        seen = [dict(zip(("step", "args", "launches"), (s, a, [of]))) for s, a, of in SEEN]
        self.record("reasons", [{"program": "05_sum"} | one for one in seen])
        steps = predicted_steps(file)
        self.assertEqual([step.agrees for step in steps], [True, False, False])
        self.assertEqual(steps[1].recorded, "barrier; issue, 50 %")
        e = Errors(steps, 1.7)
        self.assertEqual((e.refused, e.pairs, e.in_order, e.seen, e.agree), (1, 1, 0, 2, 1))
        self.assertAlmostEqual(e.tenth, 3)
        table = results_table(results, "step,ms,predicted")
        self.assertIn("| `v1_b` | 1.0000 |        3.0000 |", table)


class Model(unittest.TestCase):
    """The time model is as good as its page says."""

    def setUp(self):
        self.steps = predicted_steps(H200)

    def test_order_and_factors_of_chapters_that_nothing_was_fitted_to_and_of_the_others(self):
        kernels = [s for s in self.steps if not s.on_timeline]
        fitted = [s for s in kernels if s.fitted and not s.published]
        for steps in ([s for s in kernels if not s.fitted], fitted):
            e = Errors(steps, 1.7)
            self.assertGreaterEqual(e.in_order, 0.94 * e.pairs)
            self.assertLessEqual(e.median, 1.20)
            self.assertLessEqual(e.tenth, 1.6)
            self.assertLessEqual(20 * e.refused, e.steps)

    def test_steps_that_copy_and_move_pages_are_in_order_and_close_or_refused(self):
        for chapter in ("07_", "08_", "12_"):
            steps = [s for s in self.steps if s.chapter.startswith(chapter)]
            e = Errors(steps, 1.7)
            self.assertGreaterEqual(len(steps), 7, chapter)
            self.assertGreaterEqual(e.in_order, 0.95 * e.pairs, chapter)
            self.assertLessEqual(e.median, 1.5, chapter)
            self.assertLessEqual(5 * e.refused, e.steps, chapter)
            for step in steps:
                if step.predicted_ms is not None:
                    self.assertLess(max(step.factor, 1 / step.factor), 3, step)

    def test_streaming_loads_gain_nothing_from_a_cold_cache(self):
        of_run = {}
        for s in self.steps:
            if s.chapter.startswith("05_") and s.run.endswith("cold L2"):
                of_run.setdefault(s.run, {})[s.step] = s.predicted_ms
        self.assertGreaterEqual(len(of_run), 2)
        for run, ms in of_run.items():
            gain = ms["v10_last_round_at_once"] / ms["v11_streaming_loads"]
            self.assertAlmostEqual(gain, 1, delta=0.02, msg=run)

    def test_those_of_several_devices_stand_beside_the_run_of_as_many(self):
        runs = {s.run for s in self.steps if s.chapter.startswith("12_")}
        self.assertLessEqual({"n = 16777216, 2 devices", "n = 16777216, 4 devices"}, runs)

    def test_times_for_machines_without_clang_are_those_of_the_same_model(self):
        runs = json.loads(H200.read_text())["runs"]
        shown = json.loads(H200.with_name("nvidia-h200_step_times.json").read_text())["runs"]
        compared = 0
        for run in shown:
            name, n = run["chapter"], run["n"]
            devices = 2 if name.startswith("12_") else 1
            for its in runs:
                same = (its["chapter"], its.get("n"), its.get("devices", 1)) == (name, n, devices)
                if not same or its["l2"] != "warm" or "published" in its:
                    continue
                then = {step["name"]: step.get("ms") for step in its["steps"]}
                for step in run["steps"]:
                    if step.get("ms") and then.get(step["name"]):
                        compared += 1
                        factor = step["ms"] / then[step["name"]]
                        self.assertAlmostEqual(factor, 1, delta=0.03, msg=(name, step["name"]))
        self.assertGreater(compared, 60)

    def test_what_binds_is_what_ncu_saw_in_most_of_the_steps(self):
        e = Errors(self.steps, 1.7)
        self.assertGreater(e.seen, 50)
        self.assertGreaterEqual(e.agree, 0.85 * e.seen)

    def test_a_ladder_that_others_published_is_in_order_each_step_within_a_quarter(self):
        steps = [s for s in self.steps if s.published]
        e = Errors(steps, 1.7)
        self.assertEqual((e.steps, e.refused, e.in_order), (8, 0, e.pairs))
        self.assertTrue(all(1 / 1.25 < s.factor < 1.25 for s in steps))

    def test_nine_in_ten_are_within_the_band_of_the_course_and_of_the_last_blind_set(self):
        blind = blind_steps(H200)
        self.assertGreaterEqual(len(blind), 20)
        last = [s for s in blind if s.chapter == blind[-1].chapter]
        for steps in (self.steps, last):
            e = Errors(steps, printed_band(H200))
            self.assertGreaterEqual(e.inside, 0.9 * (e.steps - e.refused))

    def test_kernels_that_can_be_read_are_in_order_and_close_on_a_device_nobody_fitted(self):
        steps = blind_steps_elsewhere(H200)
        kernels = (COURSE / "course/time_model/blind/kernels.cuh").read_text()
        self.assertEqual([s.step for s in steps if f"{s.step}(" not in kernels], [])
        e = Errors(steps, printed_band(H200))
        self.assertEqual((e.steps, e.refused), (24, 0))
        self.assertGreaterEqual(e.in_order, 0.93 * e.pairs)
        self.assertLessEqual(e.median, 1.11)
        self.assertLessEqual(e.tenth, 1.6)

    def test_of_kernels_that_can_be_read_the_model_says_since_what_comes_closer(self):
        steps = steps_since(H200)
        self.assertEqual(len(steps), 60)
        for name in dict.fromkeys(step.chapter for step in steps):
            its = [s for s in steps if s.chapter == name]
            since = Errors(its, printed_band(H200))
            pairs, median, tenth, farthest = (
                (0.91, 1.1, 1.52, 1.9) if "seventh" in name else (0.96, 1.09, 1.27, 1.75)
            )
            self.assertGreaterEqual(since.in_order, pairs * since.pairs, name)
            self.assertLessEqual(since.median, median, name)
            self.assertLessEqual(since.tenth, tenth, name)
            far = [s.step for s in its if not 1 / farthest < s.factor < farthest]
            self.assertEqual(far, [], name)


if __name__ == "__main__":
    unittest.main()
