import { useQuery } from '@tanstack/react-query';
import { ArrowRight, BookOpen, MonitorPlay, Server, SquareTerminal, User } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { hasUserPage, mayUse } from '#/lib/permissions';
import type { Icon } from '#/ui/icon';
import { AppLink, LinkButton } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { fetchProfile, PROFILE_KEY } from './api';

interface Step {
  readonly id: 'assets' | 'terminal' | 'sessions' | 'profile';
  readonly to: string;
  readonly icon: Icon;
}

const WORK: readonly Step[] = [
  { id: 'assets', to: '/my-assets', icon: Server },
  { id: 'terminal', to: '/connect', icon: SquareTerminal },
];
/** For auditors. Administrators are led by the checklist of first steps instead. */
const AUDIT: Step = { id: 'sessions', to: paths.sessions(), icon: MonitorPlay };
const OWN: Step = { id: 'profile', to: paths.profile, icon: User };

/** Shown after the first sign-in: where to begin, and the guide that the administrator has set. */
export function GuidePage() {
  const t = useT();
  const { currentRole } = useSession();
  const { data } = useQuery({ queryKey: PROFILE_KEY, queryFn: fetchProfile });
  const audits = mayUse(currentRole, 'audit') && !mayUse(currentRole, 'admin');
  const steps = [...(hasUserPage(currentRole) ? WORK : []), ...(audits ? [AUDIT] : []), OWN];
  const guide = data?.guide_url ?? null;
  // i18n: profile:guide.*
  return (
    <>
      <PageHeader title={t('nav:user_guide')} />
      <p className="mt-1 mb-3 text-ink-2">{t('profile:guide.why')}</p>
      <ul className="grid max-w-(--form-max) gap-3">
        {steps.map(({ id, to, icon: IconOf }) => (
          <li key={id} className="pt-card flex items-start gap-3 p-4">
            <IconOf className="mt-0.5 text-ink-3" aria-hidden />
            <div className="min-w-0 grow">
              <AppLink to={to} className="pt-link text-lead">
                {t(`profile:guide.${id}.title`)}
              </AppLink>
              <p className="text-ink-2">{t(`profile:guide.${id}.text`)}</p>
            </div>
          </li>
        ))}
        {guide !== null && (
          <li className="pt-card flex items-start gap-3 p-4">
            <BookOpen className="mt-0.5 text-ink-3" aria-hidden />
            <div className="min-w-0 grow">
              <a className="pt-link text-lead" href={guide} target="_blank" rel="noreferrer noopener">
                {t('profile:guide.more')}
              </a>
              <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">{guide}</p>
            </div>
          </li>
        )}
      </ul>
      <p className="mt-3">
        <LinkButton to={paths.home} kind="primary" icon={ArrowRight}>
          {t('profile:guide.start')}
        </LinkButton>
      </p>
    </>
  );
}
