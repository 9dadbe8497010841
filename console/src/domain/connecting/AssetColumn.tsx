import { ArrowLeft, PanelLeft } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { IconButton } from '#/ui/button';
import { LinkButton } from '#/ui/link';
import { Logo } from '#/ui/logo';
import { AssetPanel } from './AssetPanel';

/** Left column: the way back to the console and the assets; on a phone it covers the rest. */
export function AssetColumn({
  onChoose,
  onHide,
}: {
  readonly onChoose: ComponentProps<typeof AssetPanel>['onChoose'];
  readonly onHide: () => void;
}) {
  const t = useT();
  return (
    <div className="flex w-56 flex-none flex-col gap-2 border-r border-line bg-bg max-sm:absolute max-sm:inset-y-0 max-sm:left-0 max-sm:z-(--z-drawer) max-sm:w-full">
      <div className="flex h-11 flex-none items-center gap-1 px-2">
        <LinkButton
          to={paths.home}
          kind="text"
          size="sm"
          icon={ArrowLeft}
          label={t('connecting:back_to_console')}
        />
        <span className="grow">
          <Logo />
        </span>
        <IconButton
          icon={PanelLeft}
          kind="text"
          size="sm"
          label={t('connecting:hide_assets')}
          onClick={onHide}
        />
      </div>
      <AssetPanel onChoose={onChoose} />
    </div>
  );
}
