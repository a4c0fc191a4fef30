/** Requests of the server that the protocol does not have; docs/lsp.md describes them. */
import { NotificationType, RequestType, type Range, type TextDocumentIdentifier } from "vscode-languageclient/node";
import type { Position } from "vscode-languageclient/node";

export interface SampleName {
  readonly code: string;
  readonly occurrence: number;
}

export type Age = "none" | "pending" | "running" | "fresh" | "stale" | "failed" | "over limit";

export interface KnownSample {
  readonly sample: SampleName;
  /** From the first line of its code to the last of its results. */
  readonly range: Range;
  readonly codeRange: Range;
  /** The invoked operator; null if it is unknown. */
  readonly target: string | null;
  readonly canRun: boolean;
  readonly age: Age;
}

export interface Statistics {
  readonly n: number;
  readonly min?: number | string | null;
  readonly max?: number | string | null;
  readonly mean?: number | string | null;
  readonly std?: number | string | null;
  readonly nan?: number;
  readonly inf?: number;
  readonly true?: number;
  readonly distinct?: number;
}

/** A tensor, a pack with `items`, or null where all is null. */
export interface TensorValue {
  readonly name: string;
  readonly dtype?: string | null;
  readonly shape?: readonly number[] | null;
  readonly statistics?: Statistics | null;
  readonly values?: unknown;
  readonly items?: readonly TensorValue[];
}

export interface SampleResult {
  readonly name: string;
  /** The line that would record it. */
  readonly text: string;
  /** The same, for people: that nothing is NaN goes without saying. */
  readonly brief: string;
  readonly recorded: boolean;
  readonly difference: string | null;
}

export interface SampleAnswer {
  readonly age: Age;
  readonly status: "ok" | "differs" | "failed" | "error as expected" | "nothing recorded" | "invalid";
  readonly rule: string | null;
  readonly message: string | null;
  readonly seconds: number;
  readonly results: readonly SampleResult[];
}

export interface ReportedDiagnostic {
  readonly path: string;
  readonly rule: string;
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly column: number } };
}

export interface GraphAnswer {
  readonly graph?: string;
  readonly operator?: string;
  readonly outputs: readonly TensorValue[];
  readonly random: { readonly inputs: readonly TensorValue[]; readonly variables: readonly string[] };
  readonly seconds?: { readonly composing: number; readonly running: number };
  readonly diagnostics: readonly ReportedDiagnostic[];
}

/** Of the graph as it is run for the values beside its statements; if a sample does so, with that. */
export interface ChosenAnswer {
  readonly sample?: SampleName;
  readonly message?: string | null;
  readonly trace?: readonly TensorValue[];
  readonly outputs?: readonly TensorValue[];
  readonly random?: GraphAnswer["random"];
  readonly diagnostics?: readonly ReportedDiagnostic[];
}

export interface ComposedTensor {
  readonly name: string;
  readonly dtype: string | null;
  readonly shape?: readonly (number | string)[] | null;
  readonly bound?: readonly (number | null)[] | null;
  readonly items?: readonly (ComposedTensor & { readonly count?: number | string })[];
  readonly line?: number | null;
}

export type TensorReference = string | null | { readonly value: unknown } | readonly TensorReference[];

export interface ComposedOperation {
  readonly operator: string;
  readonly label: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly inputs: readonly TensorReference[];
  readonly outputs: readonly TensorReference[];
  readonly line: number | null;
  readonly macs: number | null;
  readonly subgraphs?: Readonly<Record<string, ComposedPart>>;
}

export interface ComposedPart {
  readonly inputs: readonly ComposedTensor[];
  readonly outputs: readonly ComposedTensor[];
  readonly tensors: readonly ComposedTensor[];
  readonly operations: readonly ComposedOperation[];
}

export interface ComposedGraph extends ComposedPart {
  readonly graph: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly variables: readonly ComposedTensor[];
  readonly diagnostics: readonly ReportedDiagnostic[];
}

export interface SyntaxNode {
  readonly kind: string;
  readonly range: Range;
  readonly text?: string;
  readonly children?: readonly SyntaxNode[];
  readonly cut?: boolean;
}

export interface FlowTensor {
  readonly name: string;
  readonly shape: readonly (number | null)[];
  /** An index is null where data decide about it. */
  readonly cells: readonly (readonly (number | null)[])[];
}

export interface DataFlow {
  readonly definition: string;
  /** Whose sizes these are: `in the sample …`. */
  readonly sizes: string;
  readonly direction: "reads" | "feeds";
  readonly of: FlowTensor;
  readonly tensors: readonly FlowTensor[];
  readonly text: readonly string[];
}

/** The number of waiting evaluations of samples, and whether one runs. */
export interface EvaluationStatus {
  readonly running: number;
  readonly pending: number;
}

interface OfDocument {
  readonly textDocument: TextDocumentIdentifier;
}

interface GraphValues extends OfDocument {
  readonly graph: string;
  readonly attributes?: readonly string[];
  readonly inputs?: readonly string[];
}

export const samples = new RequestType<OfDocument & { position?: Position }, { samples: KnownSample[] }, void>("snd/samples");
export const sampleFiles = new RequestType<object, { uris: string[] }, void>("snd/sampleFiles");
export const evaluateSample = new RequestType<OfDocument & { sample: SampleName; again?: boolean }, SampleAnswer, void>("snd/evaluate");
export const evaluateGraph = new RequestType<GraphValues, GraphAnswer, void>("snd/evaluate");
export const evaluateChosen = new RequestType<OfDocument & { graph: string; chosen: true; trace: true }, ChosenAnswer, void>("snd/evaluate");
export const composedGraph = new RequestType<OfDocument & { graph?: string; decompose?: boolean }, ComposedGraph, void>("snd/composedGraph");
export const dataFlow = new RequestType<OfDocument & { position?: Position; definition?: string; cell?: string | undefined }, DataFlow, void>("snd/dataFlow");
export const syntaxTree = new RequestType<OfDocument, SyntaxNode, void>("snd/syntaxTree");
export const evaluationStatus = new NotificationType<EvaluationStatus>("snd/evaluationStatus");
