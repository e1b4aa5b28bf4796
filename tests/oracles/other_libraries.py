"""What other libraries say where their definitions are ours, written into ``other_libraries.json``.

They are no dependency of the tests: costcla runs only with a numpy before 1.24, and the two others ask for
much besides. To write the file anew, with what is needed in a folder of its own:

    uv pip install --target site empulse==0.13.1 mapie==1.6.0
    uv pip install --target site --no-deps costcla==0.6
    PYTHONPATH=site python tests/oracles/other_libraries.py
"""

import importlib.util
import json
from importlib.metadata import distribution, version
from pathlib import Path

import numpy as np

TABLE = Path(__file__).with_suffix(".json")


def costcla_metrics():
    """Its metrics without the rest of the package, with a name that numpy has dropped."""
    setattr(np, "float", float)  # noqa: B010
    path = distribution("costcla").locate_file("costcla/metrics/costs.py")
    spec = importlib.util.spec_from_file_location("costcla_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def savings():
    """Cost and savings of random decisions, by empulse and costcla."""
    from empulse import metrics as empulse

    costcla, names = costcla_metrics(), ("cost_loss", "savings_score")
    rng = np.random.default_rng(0)
    for kind in ("two costs", "four costs", "costs of each case", "gains"):
        n = 30
        y, said = rng.integers(0, 2, (2, n))
        size = n if kind == "costs of each case" else 1
        tp, tn = rng.uniform(0, 1, (2, size)).round(3) * (kind != "two costs") - 0.5 * (kind == "gains")
        fn, fp = (right + rng.uniform(1, 20, size).round(3) for right in (tp, tn))
        costs = {"fn_cost": fn, "fp_cost": fp, "tp_cost": tp, "tn_cost": tn}
        each = {name: np.broadcast_to(value, n) for name, value in costs.items()}
        table = np.column_stack([each[name] for name in ("fp_cost", "fn_cost", "tp_cost", "tn_cost")])
        yield {
            "kind": kind,
            "y_true": y.tolist(),
            "y_pred": said.tolist(),
            **{name: value.tolist() if size > 1 else value.item() for name, value in costs.items()},
            "empulse": {name: float(getattr(empulse, name)(y, said, **each)) for name in names},
            "costcla": {name: float(getattr(costcla, name)(y, said, table)) for name in names},
        }


def recall():
    """Thresholds that keep the share of missed positives below a limit, by MAPIE's conformal risk control.

    Positives alone, each with one label of two: the recall of such a case is whether it is found.
    """
    from mapie.risk_control import MultiLabelClassificationController

    rng = np.random.default_rng(1)
    limits = [0.083, 0.2345, 0.517]
    for n in (15, 60, 250):
        score = (rng.integers(0, 100, n) + 0.5) / 100
        control = MultiLabelClassificationController(
            predict_function=lambda p: np.column_stack([p, 1 - p]), risk="recall", method="crc",
            target_level=[1 - limit for limit in limits],
        )  # fmt: skip
        control.calibrate(score, np.tile([1, 0], (n, 1)))
        thresholds = np.ravel(control.best_predict_param).tolist()
        yield {"score": score.tolist(), "limit": limits, "threshold": thresholds}


if __name__ == "__main__":
    made_by = {library: version(library) for library in ("empulse", "costcla", "mapie")}
    found = {"made_by": made_by, "savings": list(savings()), "recall": list(recall())}
    TABLE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
