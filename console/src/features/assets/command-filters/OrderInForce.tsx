import { useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { VisibleText } from '#/ui/visible-text';
import { rulePath, titleOf, useRules } from './rule';
import type { Draft } from './trial';
import { VerdictMark, verdictOf } from './VerdictMark';

interface Place {
  readonly id: string;
  readonly priority: number;
  readonly action: number;
  readonly content: string;
  readonly isThis: boolean;
}

/** Of equal priorities, deny decides before confirm, and confirm before allow. */
const RANK: readonly number[] = [0, 2, 1];

function decidesBefore(first: Place, other: Place): number {
  return other.priority - first.priority || (RANK[first.action] ?? 0) - (RANK[other.action] ?? 0);
}

/** The position of the rule in the form among the rules of its filter. */
export function OrderInForce({
  filterId,
  draft,
  id,
}: {
  readonly filterId: string;
  readonly draft: Draft | undefined;
  readonly id: string | undefined;
}) {
  const t = useT();
  const rules = useRules(filterId);
  const saved = (rules.data?.results ?? [])
    .filter((row) => row.id !== id)
    .map((row) => ({
      id: row.id,
      priority: row.priority ?? 50,
      action: row.action ?? 0,
      content: row.content,
      isThis: false,
    }));
  const places: Place[] = draft ? [...saved, { ...draft, id: 'draft', isThis: true }] : saved;
  places.sort(decidesBefore);
  return (
    <Card flush title={t('command-filters:order_title')} aside={t('command-filters:order')}>
      <ol>
        {places.map((place) => (
          <li
            key={place.id}
            aria-current={place.isThis || undefined}
            className="flex min-h-8 items-center gap-3 border-b border-l-[3px] border-b-line border-l-transparent px-3 py-1 aria-current:border-l-accent aria-current:bg-accent-soft"
          >
            <span className="w-7 flex-none text-right tabular-nums">{place.priority}</span>
            <span className="w-20 flex-none text-meta">
              <VerdictMark verdict={verdictOf(place.action)} asRule />
            </span>
            <code className="min-w-0 grow truncate font-mono text-meta">
              <VisibleText text={titleOf(place.content)} />
            </code>
            <span className="flex-none text-meta text-ink-3">
              {place.isThis ? (
                t('command-filters:try.this_rule')
              ) : (
                <AppLink to={rulePath(filterId, place.id)}>{t('command-filters:update')}</AppLink>
              )}
            </span>
          </li>
        ))}
      </ol>
      <p className="px-3.5 py-2 text-meta text-ink-3">{t('command-filters:otherwise')}</p>
    </Card>
  );
}
