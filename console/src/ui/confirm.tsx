import { lazy, Suspense } from 'react';
import { create } from 'zustand';

export interface Question {
  /** The question itself, with object name or count: “Terminate 3 sessions?” */
  readonly title: string;
  /** What happens to whom. */
  readonly effect?: string;
  /** The first names of what is affected. */
  readonly names?: readonly string[];
  /** How many are affected, when not all of their names are known. */
  readonly total?: number;
  /** Repeats the verb: “Terminate 3 sessions”. Default: “Confirm”. */
  readonly confirmLabel?: string;
  readonly cancelLabel?: string;
  readonly danger?: boolean;
  /** Shows the warning sign; questions with `danger` always do. */
  readonly warning?: boolean;
  /** Runs on confirmation while the dialog shows progress; a rejection leaves the dialog open. */
  readonly run?: () => Promise<unknown>;
}

export interface Asked extends Question {
  readonly answer: (yes: boolean) => void;
}

export const useQuestion = create<{ readonly asked: Asked | null }>(() => ({ asked: null }));

/** Asks before something with consequences; resolves to true after confirmation (and after `run` succeeded). */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    useQuestion.getState().asked?.answer(false);
    useQuestion.setState({ asked: { ...question, answer: resolve } });
  });
}

// Most visits ask nothing: the dialog's code comes with the first question.
const QuestionDialog = lazy(() => import('./question-dialog'));

/** Shows the question that is being asked; one for the whole page. */
export function ConfirmHost() {
  const asked = useQuestion((state) => state.asked);
  return (
    asked && (
      <Suspense>
        <QuestionDialog asked={asked} />
      </Suspense>
    )
  );
}
