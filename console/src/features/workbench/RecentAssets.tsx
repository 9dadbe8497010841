import { useQuery } from '@tanstack/react-query';
import { SquareTerminal } from 'lucide-react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { LinkButton } from '#/ui/link';
import { visible } from '#/ui/visible-text';
import type { MyAssetRow } from './AssetDetails';

const ALL = 'perms/users/assets/';
/** A list that is not longer shows everything at once. */
const SHORT = 10;
const MOST = 6;

interface Page {
  readonly count: number;
  readonly results: readonly MyAssetRow[];
}

/** The assets of the person's last sessions that they may still reach, the latest first; none beside a short list. */
async function recentAssets(): Promise<readonly MyAssetRow[]> {
  const recent = await http.get<readonly { readonly asset: string }[]>('terminal/recent-assets/', {
    quiet: true,
  });
  if (recent.length === 0) return [];
  const ids = recent.map(({ asset }) => asset);
  const [all, assets] = await Promise.all([
    http.get<Page>(ALL, { query: { limit: 1, cache_policy: 1 }, quiet: true }),
    http.get<readonly MyAssetRow[]>(ALL, { query: { ids: ids.join(','), cache_policy: 1 }, quiet: true }),
  ]);
  if (all.count <= SHORT) return [];
  const byId = new Map(assets.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).filter((row) => row.is_active);
}

/** Where the person was last, above a long list. Without an answer there is nothing to show. */
export function RecentAssets() {
  const t = useT();
  const { data = [] } = useQuery({ queryKey: ['my-recent-assets'], queryFn: recentAssets, retry: false });
  if (data.length === 0) return null;
  return (
    <nav className="flex flex-wrap items-center gap-2" aria-label={t('workbench:recent')}>
      <span className="text-ink-2">{t('workbench:recent')}</span>
      {data.slice(0, MOST).map(({ id, hostname }) => (
        <LinkButton key={id} to={paths.connect(id)} size="sm" icon={SquareTerminal} newTab>
          {visible(hostname)}
        </LinkButton>
      ))}
    </nav>
  );
}
