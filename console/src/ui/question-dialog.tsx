import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from './button';
import { Choices } from './choices';
import { Dialog } from './dialog';
import { Note } from './note';
import { type Asked, QuestionRuns } from './question';
import { visible, VisibleText } from './visible-text';

const NAMES_SHOWN = 5;

interface QuestionDialogProps {
  readonly asked: Asked;
  /** The question is closed; the caller's promise resolves after this. */
  readonly onAnswer: () => void;
}

/** Why the last try failed. Screen readers read it at once. */
function Failure({ asked, failure }: { readonly asked: Asked; readonly failure: unknown }) {
  const reason = explain(failure);
  const text = asked.failed ? asked.failed(reason) : reason;
  const id = requestIdOf(failure);
  if (text === null) return null;
  return (
    <div className="mt-3">
      <Note tone="danger" announce>
        <VisibleText text={text} />
        {id !== null && <p className="font-mono text-meta text-ink-3">req {id}</p>}
      </Note>
    </div>
  );
}

export default function QuestionDialog({ asked, onAnswer }: QuestionDialogProps) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const finish = (yes: boolean) => {
    onAnswer();
    asked.answer(yes);
  };
  const confirmed = async () => {
    if (!asked.run) {
      finish(true);
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      await asked.run(chosen);
      finish(true);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const names = asked.names ?? [];
  const others = Math.max(names.length, asked.total ?? 0) - Math.min(names.length, NAMES_SHOWN);
  return (
    <Dialog
      role="alertdialog"
      size="text"
      isOpen
      title={visible(asked.title)}
      onClose={() => finish(false)}
      footer={
        <>
          {/* Focus starts on Cancel, so that Enter pressed by reflex destroys nothing. */}
          <Button autoFocus onClick={() => finish(false)}>
            {asked.cancelLabel ?? t('ui:cancel')}
          </Button>
          <Button kind={asked.danger ? 'danger-solid' : 'primary'} busy={busy} onClick={confirmed}>
            {asked.confirmLabel ?? t('ui:confirm')}
          </Button>
        </>
      }
    >
      {(asked.effect !== undefined || asked.danger) && (
        <p className="flex gap-2 text-ink-2">
          {asked.danger && (
            <TriangleAlert role="img" aria-label={t('ui:warning')} className="mt-0.5 text-warn" />
          )}
          {asked.effect}
        </p>
      )}
      {asked.options && asked.options.length > 0 && (
        <Choices options={asked.options} chosen={chosen} onChange={setChosen} />
      )}
      {names.length > 0 && (
        <ul className="mt-2 rounded-2 border border-line bg-surface-2 px-3 py-2 font-mono text-meta">
          {names.slice(0, NAMES_SHOWN).map((name) => (
            <li key={name} className="truncate py-0.5">
              <VisibleText text={name} />
            </li>
          ))}
          {others > 0 && <li className="py-0.5 text-ink-3">+{others}</li>}
        </ul>
      )}
      <QuestionRuns value={busy}>{asked.extra}</QuestionRuns>
      {failure !== null && <Failure asked={asked} failure={failure} />}
    </Dialog>
  );
}
