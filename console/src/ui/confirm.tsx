import { lazy, Suspense } from 'react';
import { create } from 'zustand';
import type { Asked, Question } from './question';

const useQuestion = create<{ readonly asked: Asked | null }>(() => ({ asked: null }));

/** Asks before an action with consequences. Resolves to true after confirmation (and after `run` succeeded). */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    useQuestion.getState().asked?.answer(false);
    useQuestion.setState({ asked: { ...question, answer: resolve } });
  });
}

// Loaded on demand: most visits ask no question.
const QuestionDialog = lazy(() => import('./question-dialog'));

/** Renders the open question; mounted once for the whole page. */
export function ConfirmHost() {
  const asked = useQuestion((state) => state.asked);
  return (
    asked && (
      <Suspense>
        <QuestionDialog asked={asked} onAnswer={() => useQuestion.setState({ asked: null })} />
      </Suspense>
    )
  );
}
