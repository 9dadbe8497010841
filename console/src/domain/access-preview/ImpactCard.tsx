import { ScanSearch } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { AccessPreview } from './AccessPreview';
import type { AccessChange } from './preview';

interface Props {
  readonly change: AccessChange;
  /** The instant for which access is compared; now by default. */
  readonly at?: string | undefined;
  /** What the form lacks; undefined when it is complete enough to be compared. */
  readonly missing?: string | undefined;
  /** Below the comparison. */
  readonly children?: ReactNode;
}

/** The card beside every form that decides access: who gains and loses what when it is saved. */
export function ImpactCard({ change, at, missing, children }: Props) {
  const t = useT();
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <ScanSearch className="text-accent" aria-hidden />
          {t('access-preview:impact.title')}
        </span>
      }
      aside={t('access-preview:impact.when')}
    >
      {missing === undefined ? (
        <AccessPreview changes={[change]} at={at} />
      ) : (
        <p className="text-ink-2">{missing}</p>
      )}
      {children}
    </Card>
  );
}
