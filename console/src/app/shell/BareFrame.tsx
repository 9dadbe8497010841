import { Outlet } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Bell } from '#/features/messages/Bell';
import { useT } from '#/lib/i18n';
import { FrameTools } from '#/ui/frame-tools';
import { TipButton } from '#/ui/tooltip';
import { openPalette } from '../palette/palette-state';
import { OfflineBar } from './OfflineBar';
import { Overlays } from './Overlays';

/**
 * Frame of a workspace that draws its own bar and tabs: no menu and no open views, but with questions, messages and
 * search.
 */
export function BareFrame() {
  const t = useT();
  return (
    <FrameTools
      value={
        <>
          <TipButton icon={Search} label={t('shell:search')} size="sm" onPress={openPalette} />
          <Bell />
        </>
      }
    >
      <div className="flex h-dvh flex-col">
        <OfflineBar />
        <Outlet />
      </div>
      <Overlays />
    </FrameTools>
  );
}
