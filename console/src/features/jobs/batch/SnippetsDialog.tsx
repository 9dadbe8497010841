import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { VisibleText } from '#/ui/visible-text';
import { deleteSnippet, saveSnippet, type Snippet, snippetsQuery, whyOf } from './api';

function SnippetItem({ snippet, onUse }: { readonly snippet: Snippet; readonly onUse: () => void }) {
  const t = useT();
  const remove = () =>
    void confirm({
      title: t('jobs:batch.delete_saved', { name: snippet.name }),
      confirmLabel: t('jobs:batch.delete'),
      danger: true,
      run: () => deleteSnippet(snippet.id),
    });
  return (
    <li className="flex items-center gap-2 border-t border-line py-1.5 first:border-t-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">
          <VisibleText text={snippet.name} />
        </p>
        <p className="truncate font-mono text-meta text-ink-3">
          <VisibleText text={snippet.command} />
        </p>
      </div>
      <Button size="sm" onClick={onUse}>
        {t('jobs:batch.use')}
      </Button>
      <IconButton
        icon={Trash2}
        kind="text"
        size="sm"
        label={t('jobs:batch.delete_named', { name: snippet.name })}
        onClick={remove}
      />
    </li>
  );
}

/** Saves the command in the editor under a name. */
function SaveForm({ command }: { readonly command: string }) {
  const t = useT();
  const [name, setName] = useState('');
  const [error, setError] = useState('');
  const save = async (): Promise<void> => {
    setError('');
    try {
      await saveSnippet(name.trim(), command);
      setName('');
    } catch (cause) {
      setError(whyOf(cause));
    }
  };
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void save();
      }}
    >
      <div className="min-w-44 grow">
        <Field label={t('jobs:batch.save_as')} layout="above" error={error}>
          {(control) => (
            <TextInput
              {...control}
              maxLength={64}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" disabled={name.trim() === ''}>
        {t('jobs:batch.save')}
      </Button>
    </form>
  );
}

/** The person's saved commands. */
export function SnippetsDialog({
  command,
  onUse,
  onClose,
}: {
  readonly command: string;
  readonly onUse: (command: string) => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const { data, error } = useQuery(snippetsQuery);
  return (
    <Dialog title={t('jobs:batch.saved')} isOpen onClose={onClose}>
      <div className="grid gap-3">
        {error && !data && <Note tone="danger">{explain(error)}</Note>}
        {!data && !error && <SkeletonLines lines={3} />}
        {data?.length === 0 && <p className="text-ink-3">{t('jobs:batch.no_saved')}</p>}
        {data && data.length > 0 && (
          <ul>
            {data.map((snippet) => (
              <SnippetItem
                key={snippet.id}
                snippet={snippet}
                onUse={() => {
                  onUse(snippet.command);
                  onClose();
                }}
              />
            ))}
          </ul>
        )}
        {command.trim() !== '' && <SaveForm command={command} />}
      </div>
    </Dialog>
  );
}
