// Lines of Python that find the same numbers by csb. A name is a text of Python as JSON writes it.
function pythonCode(file, table, choice, used) {
  const q = JSON.stringify, { outcome, positive, probability, amount, ratio, fixed, share, method, rounds } = choice;
  const options = [q(file), "dtype=str", "keep_default_na=False", `sep=${q(table.separator)}`, `encoding=${q(table.encoding)}`];
  const number = table.decimal === "," ? '.str.replace(",", ".")' : "", column = (name) => `table[${q(name)}]${number}.astype(float).to_numpy()`;
  const asked = [outcome, probability, amount].filter(Boolean), code = [
    `table = pd.read_csv(${options.join(", ")})`,
    `table = table[(table[${q(asked)}] != "").all(axis=1)].reset_index(drop=True)`,
    `y = (table[${q(outcome)}] == ${q(positive)}).to_numpy(int)`,
  ];
  const imports = ["import numpy as np", "import pandas as pd"];
  if (amount) code.push(`amount = ${column(amount)}`);
  if (probability) {
    code.push(`p = ${column(probability)}`);
  } else {
    const logit = { logitboost: "LogitBoost", asybl: "AsyBL" }[method], costs = `fn_cost=${ratio}, fp_cost=1`;
    const { numbers: plain, words } = used;
    imports.push("from sklearn.linear_model import LogisticRegression", "from sklearn.pipeline import make_pipeline",
      "from sklearn.preprocessing import StandardScaler", "", `from csb import ${logit ?? "CostSensitiveBoosting"}`,
      "from csb.evaluation.calibration import PlattScaling");
    const given = [method === "logitboost" ? "" : costs, logit ? "" : `variant=${q(method)}`, `n_estimators=${rounds}`];
    const parts = plain.map((name) => `table[${q(name)}].replace("", "nan")${number}.astype(float)`);
    const dummies = words.map((name) => `pd.get_dummies(table[${q(name)}], dtype=float)`);
    code.push(
      "",
      "# of each class every third case trains, every third calibrates, every third is held out",
      "part = pd.Series(y).groupby(y).cumcount().to_numpy() % 3",
      `X = pd.concat([${[...parts, ...dummies].join(", ")}], axis=1)`,
      `X = X.set_axis(range(X.shape[1]), axis=1)`,
      "X = X.fillna(X[part == 0].mean()).fillna(0.0).to_numpy()",
      "models = {",
      `    ${q(method)}: ${logit ?? "CostSensitiveBoosting"}(${given.filter(Boolean).join(", ")}),`,
      `    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10)),`,
      "}",
      "probabilities = {}",
      "for name, model in models.items():",
      "    score = model.fit(X[part == 0], y[part == 0]).decision_function(X)",
      "    platt = PlattScaling().fit(score[part == 1], y[part == 1])",
      "    probabilities[name] = platt.predict(score[part == 2])",
      "y = y[part == 2]",
      ...(amount ? ["amount = amount[part == 2]"] : []),
    );
  }
  code.push("", ...(amount
    ? [`fp_cost = ${fixed} + ${share} * amount`, `fn_cost = ${ratio} * fp_cost.mean() / amount.mean() * amount`]
    : [`fn_cost, fp_cost = ${ratio}, 1`]),
  'costs = {"fn_cost": fn_cost, "fp_cost": fp_cost}', "results = {}",
  `for name, p in ${probability ? `{${q(probability)}: p}` : "probabilities"}.items():`,
  ...[
    "called = decide_positive(p, fn_cost, fp_cost)",
    "paid = case_costs(y, called, **costs)",
    "never, always = (case_costs(y, np.full(len(y), label), **costs) for label in (0, 1))",
    "# what calling up to each probability too few costs beside calling all",
    "rise = pd.Series(np.where(y == 1, fn_cost, np.negative(fp_cost))).groupby(p).sum().cumsum().round(9)",
    "threshold = rise.idxmin() if rise.min() < 0 else -np.inf",
    "results[name] = {",
    '    "bill": paid.mean(),',
    '    "missed": int(np.sum((y == 1) & ~called)),',
    '    "alarms": int(np.sum((y == 0) & called)),',
    '    "saved over calling none": case_interval(never - paid),',
    '    "saved over calling all": case_interval(always - paid),',
    '    "savings score": savings_score(y, called, **costs),',
    '    "cheapest threshold": threshold,',
    '    "its bill": case_costs(y, p > threshold, **costs).mean(),',
    '    "area of the Brier curve": brier_curve(y, p, over="cost").area,',
    '    "reliability": reliability_diagram(y, p).observed,',
    "}",
  ].map((line) => `    ${line}`), "print(pd.DataFrame(results).to_string())");
  imports.push(...(probability ? [""] : []), "from csb.evaluation.curves import brier_curve, reliability_diagram",
    "from csb.evaluation.decisions import decide_positive", "from csb.evaluation.intervals import case_interval",
    "from csb.evaluation.metrics import case_costs, savings_score", "");
  return `${[...imports, ...code].join("\n")}\n`;
}
