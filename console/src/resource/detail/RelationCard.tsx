import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
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

/** A relation endpoint: rows that join `own` (this object) with `other`. */
export interface Relation {
  readonly api: string;
  readonly own: string;
  readonly other: string;
}

/** Shown at once; more are reached through the list of the other side. */
const SHOWN = 50;

type RelationRow = Readonly<Record<string, unknown>>;

/** What belongs to this object: list with remove, and a picker that adds several at once. */
export function RelationCard({
  title,
  add,
  remote,
  relation,
  id,
  linkTo,
  onChange,
}: {
  /** Key of a text. */
  readonly title: string;
  readonly add: string;
  readonly remote: RemoteOptions;
  readonly relation: Relation;
  readonly id: string;
  readonly linkTo?: (otherId: string) => string;
  readonly onChange: () => void;
}) {
  const t = useT();
  const fieldId = useId();
  const isRoot = useIsRootOrganization();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const rows = useQuery({
    queryKey: ['relation', relation.api, id],
    queryFn: () => fetchPage<RelationRow>(relation.api, { [relation.own]: id, limit: SHOWN, offset: 0 }),
  });
  const change = async (work: Promise<unknown>) => {
    setBusy(true);
    try {
      await work;
      setChosen([]);
      await rows.refetch();
      onChange();
    } catch {
      // Already told by the http client; the card keeps what was chosen.
    } finally {
      setBusy(false);
    }
  };
  const related = rows.data?.results ?? [];
  const known = new Set(related.map((row) => textOf(row[relation.other])));
  return (
    <Card title={<>{t(title)}</>} aside={rows.data && <Count>{rows.data.count}</Count>}>
      <div className="flex gap-2">
        <div className="min-w-0 grow">
          <RemoteSelect
            control={{ id: fieldId }}
            label={t(add)}
            remote={remote}
            multiple
            value={chosen}
            onChange={(ids) => setChosen(ids.filter((one) => !known.has(one)))}
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
      {rows.isPending && <SkeletonLines lines={3} />}
      {rows.error && <p className="mt-2 text-danger">{explain(rows.error)}</p>}
      <ul className="mt-1 -mb-1.5 empty:hidden">
        {related.map((row) => {
          const other = textOf(row[relation.other]);
          const name = textOf(row[`${relation.other}_display`]) || other;
          return (
            <li key={other} className="flex min-h-7 items-center gap-2">
              <span className="min-w-0 grow truncate" title={name}>
                {linkTo ? <AppLink to={linkTo(other)}>{name}</AppLink> : name}
              </span>
              <IconButton
                kind="text"
                size="sm"
                icon={X}
                label={t('ui:picker.remove', { label: name })}
                disabled={busy || isRoot}
                onClick={() =>
                  void change(
                    http.delete(relation.api, { query: { [relation.own]: id, [relation.other]: other } }),
                  )
                }
              />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
