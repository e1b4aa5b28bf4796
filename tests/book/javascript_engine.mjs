// Answers what test_javascript_engine.py asks of csb.js, which lies beside a copy of this file: JSON in, JSON out.
import { readFileSync } from "node:fs";
import * as csb from "./csb.mjs";

const BETAS = { adacost: (c, u) => 4 * (1 - c * u), adacost_beta2: (c, u) => (1 - c * u) / 3 };

const ANSWERS = {
  rows: () => csb.METHODS,
  fits({ key, X, y, parameters, X_new, t }) {
    const model = csb.boost(key, X, y, { ...parameters, beta: BETAS[parameters.beta] });
    return {
      stop: model.stopReason, constant: Boolean(model.constant), hypotheses: model.hypotheses, votes: model.coefficients,
      weights: model.weights, scores: model.decisionFunction(X_new), scores_then: model.decisionFunction(X_new, t),
      decided: model.predict(X_new), decided_then: model.predict(X_new, t), probability: model.logOddsLine.length ? model.predictProba(X_new) : null,
    };
  },
  calibrations({ calibration, scores, y, new_scores }) {
    return new_scores.map({ sigmoid: csb.platt, isotonic: csb.isotonic }[calibration](scores, y));
  },
  curves({ y, prob, at }) {
    const [skew, cost] = ["skew", "cost"].map((over) => csb.brierCurve(y, prob, over));
    return { skew: { ...skew, at: at.map(skew.at) }, cost: { ...cost, at: at.map(cost.at) }, lines: csb.costCurve(y, prob) };
  },
  bills({ y, called, costs: given, level, prob, fn_cost, fp_cost }) {
    const costs = { fnCost: given.fn_cost, fpCost: given.fp_cost };
    return {
      costs: csb.caseCosts(y, called, costs), mean: csb.expectedCost(y, called, costs),
      savings: csb.savings(y, called, costs, level), decided: prob.map((p) => csb.decidePositive(p, fn_cost, fp_cost)),
    };
  },
};

const asked = JSON.parse(readFileSync(0, "utf8"));
const answered = Object.entries(asked).map(([name, problems]) => [name, problems.map(ANSWERS[name])]);
const spelt = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
process.stdout.write(JSON.stringify(Object.fromEntries(answered), spelt));
