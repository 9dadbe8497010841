import { FileText, Monitor, SquareChevronRight } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Badge } from '#/ui/status';
import type { HitKind } from './hits';

const ICON = { screen: Monitor, command: SquareChevronRight, file: FileText } as const;

/** Where the text was found. i18n: recording-hits:kind.* */
export function KindBadge({ kind }: { readonly kind: HitKind }) {
  const t = useT();
  return <Badge icon={ICON[kind]}>{t(`recording-hits:kind.${kind}`)}</Badge>;
}
