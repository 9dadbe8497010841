import { createContext, type ReactNode } from 'react';

/** An optional action of the question; `details` list what it affects. */
export interface QuestionOption {
  readonly value: string;
  readonly label: string;
  readonly details?: readonly string[];
}

export interface Question {
  /** The question itself, with object name or count: “Terminate 3 sessions?” */
  readonly title: string;
  /** The consequence, and who is affected. */
  readonly effect?: string;
  /** More about the consequence than one sentence. */
  readonly extra?: ReactNode;
  /** The first names of the affected objects or people. */
  readonly names?: readonly string[];
  /** Number of affected objects, when not all names are known. */
  readonly total?: number;
  /** Text of the confirm button, which repeats the verb: “Terminate 3 sessions”. Default: “Confirm”. */
  readonly confirmLabel?: string;
  readonly cancelLabel?: string;
  /** Shows the warning icon and a red confirm button. */
  readonly danger?: boolean;
  /** Options that the person may tick; none is preselected. */
  readonly options?: readonly QuestionOption[];
  /**
   * Runs on confirmation while the dialog shows progress. If it rejects, the dialog stays open and shows the reason until
   * the next try: requests are quiet.
   */
  readonly run?: (chosen: readonly string[]) => Promise<unknown>;
  /** The words around the reason of a failure: “Delete failed: …”. Default: the reason alone; null shows nothing. */
  readonly failed?: (reason: string) => string | null;
}

export interface Asked extends Question {
  readonly answer: (yes: boolean) => void;
}

/** Whether the question around is confirmed and its action runs. */
export const QuestionRuns = createContext(false);
