"""A learner that returns hypotheses given beforehand and notes the weights it is shown."""

import numpy as np


class ScriptedLearner:
    """Round t returns ``outputs[t]``, signs -1 or +1 of every example, for all models alike."""

    def __init__(self, outputs):
        self.outputs = np.asarray(outputs)
        self.seen = []

    def fit(self, weights, losses=None):
        output = self.outputs[len(self.seen)]
        self.seen.append(weights.copy())
        predicted = np.tile((output > 0).astype(np.uint8), (len(weights), 1))
        return [output] * len(weights), predicted
