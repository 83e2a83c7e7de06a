"""From likelihoods to turns: belief, hypotheses, their posterior, and the decision what to announce."""
