import { attemptAgreement } from './attempts/attempt-agreement.ts';
import { strategyConsistency } from './attempts/strategy-consistency.ts';
import type { Metric } from './metric.ts';
import { agenticTools } from './reference/agentic-tools.ts';
import { compositeScore } from './reference/composite-score.ts';
import { responseMatchScore } from './reference/response-match-score.ts';
import { searchF1 } from './reference/search-f1.ts';
import { searchPrecision } from './reference/search-precision.ts';
import { searchRecall } from './reference/search-recall.ts';
import { sessionExpectations } from './reference/session-expectations.ts';
import { toolSelectionAccuracy } from './reference/tool-selection-accuracy.ts';
import { toolTrajectoryAvgScore } from './reference/tool-trajectory-avg-score.ts';
import { turnExpectations } from './reference/turn-expectations.ts';
import { completionRate } from './run/completion-rate.ts';
import { agentConsistency } from './session/agent-consistency.ts';
import { agentReliability } from './session/agent-reliability.ts';
import { agentic } from './session/agentic.ts';
import { errorRecoveryRate } from './session/error-recovery-rate.ts';
import { goalCompletion } from './session/goal-completion.ts';
import { integrationQuality } from './session/integration-quality.ts';
import { resolutionRate } from './session/resolution-rate.ts';
import { sessionRisk } from './session/session-risk.ts';
import { sessionTrend } from './session/session-trend.ts';
import { agentBehaviorFailure } from './turn/agent-behavior-failure.ts';
import { agenticAnswer } from './turn/agentic-answer.ts';
import { argumentCorrectness } from './turn/argument-correctness.ts';
import { coherence } from './turn/coherence.ts';
import { communicationStyle } from './turn/communication-style.ts';
import { confidence } from './turn/confidence.ts';
import { conversationCoherence } from './turn/conversation-coherence.ts';
import { faithfulness } from './turn/faithfulness.ts';
import { finalResponseMatchV2 } from './turn/final-response-match-v2.ts';
import { hallucinationsV1 } from './turn/hallucinations-v1.ts';
import { helpfulness } from './turn/helpfulness.ts';
import { loopDetection } from './turn/loop-detection.ts';
import { modelCallCount } from './turn/model-call-count.ts';
import { planAdherence } from './turn/plan-adherence.ts';
import { planQuality } from './turn/plan-quality.ts';
import { relevance } from './turn/relevance.ts';
import { responseEvaluationScore } from './turn/response-evaluation-score.ts';
import { responseQuality } from './turn/response-quality.ts';
import { responseTime } from './turn/response-time.ts';
import { rubricBasedFinalResponseQualityV1 } from './turn/rubric-based-final-response-quality-v1.ts';
import { rubricBasedToolUseQualityV1 } from './turn/rubric-based-tool-use-quality-v1.ts';
import { safetyV1 } from './turn/safety-v1.ts';
import { sourceAttribution } from './turn/source-attribution.ts';
import { stepEfficiency } from './turn/step-efficiency.ts';
import { taskCompletion } from './turn/task-completion.ts';
import { tokenUsage } from './turn/token-usage.ts';
import { toolCallBehaviorFailure } from './turn/tool-call-behavior-failure.ts';
import { toolCallCount } from './turn/tool-call-count.ts';
import { toolCorrectness } from './turn/tool-correctness.ts';
import { turnRisk } from './turn/turn-risk.ts';
import { userSatisfactionProxy } from './turn/user-satisfaction-proxy.ts';
import { verbosity } from './turn/verbosity.ts';

/** Every metric that exists, one row each. */
export const METRICS: readonly Metric[] = [
  taskCompletion,
  toolCorrectness,
  argumentCorrectness,
  stepEfficiency,
  confidence,
  planAdherence,
  planQuality,
  coherence,
  loopDetection,
  turnRisk,
  sessionRisk,
  agentReliability,
  agentConsistency,
  sessionTrend,
  helpfulness,
  conversationCoherence,
  relevance,
  faithfulness,
  verbosity,
  agentBehaviorFailure,
  toolCallBehaviorFailure,
  goalCompletion,
  turnExpectations,
  sessionExpectations,
  toolTrajectoryAvgScore,
  toolSelectionAccuracy,
  responseMatchScore,
  compositeScore,
  errorRecoveryRate,
  integrationQuality,
  searchPrecision,
  searchRecall,
  searchF1,
  responseEvaluationScore,
  safetyV1,
  finalResponseMatchV2,
  rubricBasedFinalResponseQualityV1,
  rubricBasedToolUseQualityV1,
  hallucinationsV1,
  responseQuality,
  communicationStyle,
  resolutionRate,
  userSatisfactionProxy,
  sourceAttribution,
  agenticAnswer,
  agenticTools,
  agentic,
  attemptAgreement,
  strategyConsistency,
  completionRate,
  responseTime,
  tokenUsage,
  toolCallCount,
  modelCallCount,
];

const BY_NAME: ReadonlyMap<string, Metric> = new Map(
  METRICS.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])].map((name) => [name, metric] as const)),
);

/** The metric of a name, its own or one that a source system knows it by. */
export function metricByName(name: string): Metric | undefined {
  return BY_NAME.get(name);
}
