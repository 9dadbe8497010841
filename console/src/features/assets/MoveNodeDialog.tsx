import { type FormEvent, useId, useState } from 'react';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { nodeOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { moveNode, whyNotThere } from './move-node';
import type { MovedNode } from './moving';

/** Asks where a node goes: the way to move it without a mouse, and on narrow windows. */
export function MoveNodeDialog({
  node,
  onClose,
}: {
  readonly node: MovedNode;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const label = t('assets:move.target');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const [id] = chosen;
    if (id === undefined) {
      setError(t('resource:form.required'));
      return;
    }
    setBusy(true);
    try {
      const destination = await http.get<Api<'Node'>>(`assets/nodes/${id}/`, { quiet: true });
      const target = { id, key: destination.key, label: destination.name };
      const reason = whyNotThere(node, target);
      if (reason === undefined) {
        onClose();
        void moveNode(node, target);
        return;
      }
      setError(reason);
    } catch (problem) {
      setError(explain(problem));
    }
    setBusy(false);
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={t('assets:move.title', { node: node.label })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('assets:move.next')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={(event) => void submit(event)}>
        <Field label={label} error={error} help={t('assets:move.target_help')} layout="above" required>
          {(control) => (
            <RemoteSelect
              control={control}
              label={label}
              remote={nodeOptions}
              multiple={false}
              value={chosen}
              onChange={(ids) => {
                setChosen(ids);
                setError(undefined);
              }}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
