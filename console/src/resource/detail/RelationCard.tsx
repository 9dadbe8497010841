import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { Button, IconButton } from '#/ui/button';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { Count } from '#/ui/status';
import { fetchPage } from '../api';
import type { RemoteOptions } from '../define';
import { textOf } from '../format';
import { RemoteSelect } from '../form/RemoteSelect';

/** A relation endpoint: its rows join `own` (this object) with `other`. */
export interface Relation {
  readonly api: string;
  readonly own: string;
  readonly other: string;
}

/** Number of rows shown at once; the list of the other side shows all. */
const SHOWN = 50;

type RelationRow = Readonly<Record<string, unknown>>;

/** The related rows, and `change`: waits for a write, calls `onWritten`, reloads the rows and calls `onChanged`. */
function useRelation(relation: Relation, id: string, onWritten: () => void, onChanged: () => void) {
  const [busy, setBusy] = useState(false);
  const rows = useQuery({
    queryKey: ['relation', relation.api, id],
    queryFn: () => fetchPage<RelationRow>(relation.api, { [relation.own]: id, limit: SHOWN, offset: 0 }),
  });
  const change = async (work: Promise<unknown>) => {
    setBusy(true);
    try {
      await work;
      onWritten();
      await rows.refetch();
      onChanged();
    } catch {
      // The http client has already shown the error; the card keeps the chosen values.
    } finally {
      setBusy(false);
    }
  };
  return { rows, busy, change };
}

function RelatedRow({
  name,
  to,
  disabled,
  onRemove,
}: {
  readonly name: string;
  readonly to: string | undefined;
  readonly disabled: boolean;
  readonly onRemove: () => void;
}) {
  const t = useT();
  return (
    <li className="flex min-h-7 items-center gap-2">
      <span className="min-w-0 grow truncate" title={name}>
        {to === undefined ? name : <AppLink to={to}>{name}</AppLink>}
      </span>
      <IconButton
        kind="text"
        size="sm"
        icon={X}
        label={t('ui:picker.remove', { label: name })}
        disabled={disabled}
        onClick={onRemove}
      />
    </li>
  );
}

/** Objects related to this object: a list with remove buttons, and a picker that adds several at once. */
export function RelationCard({
  title,
  add,
  remote,
  relation,
  id,
  linkTo,
  onChange,
  onlyAdds = false,
  beforeRemove,
  effectOfAdding,
}: {
  /** Key of a text. */
  readonly title: string;
  readonly add: string;
  readonly remote: RemoteOptions;
  readonly relation: Relation;
  readonly id: string;
  readonly linkTo?: (otherId: string) => string;
  readonly onChange: () => void;
  /** Leaves the list out, beside a table of the same objects. */
  readonly onlyAdds?: boolean;
  /** Asks before an object is removed; false keeps it. */
  readonly beforeRemove?: (other: string, name: string) => Promise<boolean>;
  /** What adding the chosen objects does, shown before they are added. */
  readonly effectOfAdding?: (chosen: readonly string[]) => ReactNode;
}) {
  const t = useT();
  const fieldId = useId();
  const isRoot = useIsRootOrganization();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { rows, busy, change } = useRelation(relation, id, () => setChosen([]), onChange);
  const related = rows.data?.results ?? [];
  const known = new Set(related.map((row) => textOf(row[relation.other])));
  return (
    <Card title={<>{t(title)}</>} aside={!onlyAdds && rows.data && <Count>{rows.data.count}</Count>}>
      <div className="flex gap-2">
        <div className="min-w-0 grow">
          <RemoteSelect
            control={{ id: fieldId }}
            label={t(add)}
            remote={remote}
            multiple
            value={chosen}
            onChange={(ids) => setChosen(ids.filter((candidate) => !known.has(candidate)))}
            disabled={isRoot}
            placeholder={t(add)}
          />
        </div>
        <Button
          icon={Plus}
          busy={busy}
          disabled={chosen.length === 0}
          onClick={() =>
            void change(
              http.post(
                relation.api,
                chosen.map((other) => ({ [relation.own]: id, [relation.other]: other })),
              ),
            )
          }
        >
          {t('resource:relation.add')}
        </Button>
      </div>
      {chosen.length > 0 && effectOfAdding?.(chosen)}
      {rows.isPending && <SkeletonLines lines={3} />}
      {rows.error && <p className="mt-2 text-danger">{explain(rows.error)}</p>}
      <ul className="mt-1 -mb-1.5 empty:hidden">
        {(onlyAdds ? [] : related).map((row) => {
          const other = textOf(row[relation.other]);
          const name = textOf(row[`${relation.other}_display`]) || other;
          const remove = async () => {
            if (beforeRemove && !(await beforeRemove(other, name))) return;
            await change(
              http.delete(relation.api, { query: { [relation.own]: id, [relation.other]: other } }),
            );
          };
          return (
            <RelatedRow
              key={other}
              name={name}
              to={linkTo?.(other)}
              disabled={busy || isRoot}
              onRemove={() => void remove()}
            />
          );
        })}
      </ul>
    </Card>
  );
}
