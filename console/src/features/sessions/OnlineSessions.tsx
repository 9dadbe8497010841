import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { mayAskUnbidden } from '#/lib/http/asking';
import { followSessions } from '#/lib/live-sessions';
import { useMay, useSession } from '#/lib/session';
import { ResourceList } from '#/resource/list/ResourceList';
import { useMedia } from '#/ui/use-media';
import { PREVIEW_WIDTH } from './preview-room';
import { onlineSessions, onlineSessionsReadOnly } from './session.resource';
import { SessionPreview } from './SessionPreview';

/** Poll interval, because durations and command counts change without a notification. */
const LIVE_EVERY_MS = 5_000;
const ONLINE = { is_finished: '0' };

/** Keeps the list up to date: the server notifies when sessions begin or end; other values are polled. */
function useLiveList(): void {
  const client = useQueryClient();
  const organization = useSession().organization.id;
  useEffect(() => {
    const refresh = (): void => {
      if (document.visibilityState !== 'visible' || !mayAskUnbidden()) return;
      void client.invalidateQueries({ queryKey: ['list', onlineSessions.api] });
    };
    const follow = (): void => {
      refresh();
      void client.invalidateQueries({ queryKey: ['terminal/sessions', 'detail'] });
    };
    const leave = followSessions(organization, follow);
    const timer = setInterval(refresh, LIVE_EVERY_MS);
    // Catches up on changes that happened while the page was hidden.
    document.addEventListener('visibilitychange', refresh);
    return () => {
      leave();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [client, organization]);
}

/** Running sessions, with one of them beside the list. */
export function OnlineSessions() {
  const mayTerminate = useMay('admin');
  const navigate = useNavigate();
  const hasRoom = useMedia(PREVIEW_WIDTH);
  const { preview }: { preview?: string } = useSearch({ strict: false });
  useLiveList();
  const shownSession = hasRoom ? preview : undefined;
  return (
    <div className="flex items-start gap-3.5">
      <div className="min-w-0 grow">
        <ResourceList
          embedded
          resource={mayTerminate ? onlineSessions : onlineSessionsReadOnly}
          query={ONLINE}
          current={shownSession}
        />
      </div>
      {shownSession !== undefined && (
        <SessionPreview
          id={shownSession}
          onClose={() =>
            void navigate({ to: '.', search: { activeTab: 'online' }, replace: true, resetScroll: false })
          }
        />
      )}
    </div>
  );
}
