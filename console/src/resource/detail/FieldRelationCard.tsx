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
  /** Replaces the name. */
  readonly content?: ReactNode;
}

/**
 * Objects that this object refers to in a list field (`PATCH {path} {field: ids}`): a list with remove buttons, and a
 * picker that adds several at once. For relations with an endpoint of their own use `RelationCard`.
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
  beforeRemove,
  effectOfAdding,
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
  /** Key of a text: why the last object cannot be removed. Absent: it can be removed. */
  readonly lastReason?: string;
  readonly onChange: () => void;
  /** Asks before an object is removed; false keeps it. */
  readonly beforeRemove?: (item: Related) => Promise<boolean>;
  /** What adding the chosen objects does, shown before they are added. */
  readonly effectOfAdding?: (chosen: readonly string[]) => ReactNode;
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
      // The http client has already shown the error; the card keeps the chosen values.
    } finally {
      setBusy(false);
    }
  };
  const remove = async (item: Related) => {
    if (beforeRemove && !(await beforeRemove(item))) return;
    await save(held.filter((id) => id !== item.id));
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
      {chosen.length > 0 && effectOfAdding?.(chosen)}
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
              onClick={() => void remove(item)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
