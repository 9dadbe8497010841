import { Plus, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { Button, IconButton } from '#/ui/button';
import { Card } from '#/ui/card';
import { Count } from '#/ui/status';
import type { RemoteOptions } from '../define';
import { RemoteSelect } from '../form/RemoteSelect';

export interface Related {
  readonly id: string;
  readonly name: string;
  /** Drawn in place of the name. */
  readonly content?: ReactNode;
}

/**
 * What an object refers to in a list of its own (`PATCH {path} {field: ids}`): list with remove, and a picker that adds
 * several at once. For relations with rows of their own there is `RelationCard`.
 */
export function FieldRelationCard({
  title,
  add,
  none,
  remote,
  path,
  field,
  items,
  lastReason,
  onChange,
}: {
  /** Keys of texts. */
  readonly title: string;
  readonly add: string;
  readonly none?: string;
  readonly remote: RemoteOptions;
  /** The object's own endpoint. */
  readonly path: string;
  readonly field: string;
  readonly items: readonly Related[];
  /** Key of a text: why the last one stays. Absent: it may go as well. */
  readonly lastReason?: string;
  readonly onChange: () => void;
}) {
  const t = useT();
  const fieldId = useId();
  const isRoot = useIsRootOrganization();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const held = items.map((item) => item.id);
  const save = async (ids: readonly string[]) => {
    setBusy(true);
    try {
      await http.patch(path, { [field]: ids });
      setChosen([]);
      onChange();
    } catch {
      // Already told by the http client; the card keeps what was chosen.
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t(title)} aside={<Count>{items.length}</Count>}>
      <div className="flex gap-2">
        <div className="min-w-0 grow">
          <RemoteSelect
            control={{ id: fieldId }}
            label={t(add)}
            remote={remote}
            multiple
            value={chosen}
            onChange={(ids) => setChosen(ids.filter((id) => !held.includes(id)))}
            disabled={isRoot}
            placeholder={t(add)}
          />
        </div>
        <Button
          icon={Plus}
          busy={busy}
          disabled={chosen.length === 0}
          onClick={() => void save([...held, ...chosen])}
        >
          {t('resource:relation.add')}
        </Button>
      </div>
      {items.length === 0 && none !== undefined && <p className="mt-2 text-ink-3">{t(none)}</p>}
      <ul className="mt-1 -mb-1.5 empty:hidden">
        {items.map((item) => (
          <li key={item.id} className="flex min-h-7 items-center gap-2">
            <span className="min-w-0 grow truncate" title={item.name}>
              {item.content ?? item.name}
            </span>
            <IconButton
              kind="text"
              size="sm"
              icon={X}
              label={t('ui:picker.remove', { label: item.name })}
              disabled={busy || isRoot}
              disabledReason={lastReason !== undefined && items.length === 1 ? t(lastReason) : undefined}
              onClick={() => void save(held.filter((id) => id !== item.id))}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
