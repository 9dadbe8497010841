import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import type { Problems } from './problems';

/** A credential is entered here, whoever owns it: fields, what is wrong with them, and a button that saves. */
export function CredentialDialog<Name extends string>({
  title,
  isNarrow = false,
  effect,
  missing,
  save,
  problemsOf,
  done,
  onDone,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isNarrow?: boolean;
  /** What happens with the credential. */
  readonly effect?: string;
  /** What is missing, by field; null while nothing can be saved. */
  readonly missing: () => Problems<Name> | null;
  readonly save: () => Promise<unknown>;
  readonly problemsOf: (error: unknown) => Problems<Name>;
  /** Says that the credential was saved. */
  readonly done: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: (problems: Problems<Name>, setProblems: (problems: Problems<Name>) => void) => ReactNode;
}) {
  const t = useT();
  const form = useId();
  const [problems, setProblems] = useState<Problems<Name>>({});
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const missingFields = busy ? null : missing();
    if (missingFields === null) return;
    setProblems(missingFields);
    if (Object.keys(missingFields).length > 0) return;
    setBusy(true);
    try {
      await save();
    } catch (error) {
      setProblems(problemsOf(error));
      setBusy(false);
      return;
    }
    toast({ tone: 'ok', text: done });
    onDone();
    onClose();
  };

  return (
    <Dialog
      isOpen
      {...(isNarrow ? { size: 'text' as const } : {})}
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('resource:form.save')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-3"
        noValidate
        aria-busy={busy}
        onSubmit={(event) => void submit(event)}
      >
        {effect !== undefined && <p className="text-ink-2">{effect}</p>}
        {problems.other !== undefined && <Note tone="danger">{problems.other}</Note>}
        {children(problems, setProblems)}
      </form>
    </Dialog>
  );
}
