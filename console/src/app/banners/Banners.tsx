import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { NO_SETTINGS, type Session, useSession } from '#/lib/session';
import { minuteStamp, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { AppLink } from '#/ui/link';
import { Banner } from './Banner';
import { licenceDaysLeft, licenceExpiry, passwordEnd, passwordExpiry } from './expiry';

/** How often the expiry dates are recomputed: a console may stay open for days. */
const HOUR_MS = 3_600_000;

interface LicenceDetail {
  /** Last valid day, `2027-01-31`; null without a licence. */
  readonly date_expired: string | null;
  /** Days left as the server counts them. The server decides when the licence ends. */
  readonly days_left?: number | null;
}

/**
 * The server sends the licence only to system administrators of an enterprise edition who have completed their first
 * sign-in.
 */
function concernsLicence({ profile, settings }: Session): boolean {
  return profile.role === 'Admin' && !profile.is_first_login && settings.XPACK_ENABLED === true;
}

function LicenceBanner({ now }: { readonly now: Date }) {
  const t = useT();
  const session = useSession();
  const { data } = useQuery({
    queryKey: ['licence'],
    queryFn: () => http.get<LicenceDetail>('xpack/license/detail', { quiet: true }),
    enabled: concernsLicence(session),
    staleTime: HOUR_MS,
  });
  const date = data?.date_expired;
  if (!date || !concernsLicence(session)) return null;
  const expiry = licenceExpiry(data.days_left ?? licenceDaysLeft(date, now));
  if (!expiry) return null;
  return (
    <Banner
      tone={expiry}
      action={<AppLink to={paths.help('enterprise')}>{t('shell:banners.licence.action')}</AppLink>}
    >
      {t(expiry === 'expired' ? 'shell:banners.licence.expired' : 'shell:banners.licence.soon', {
        date,
      })}
    </Banner>
  );
}

/** The console can change local passwords only. */
function PasswordBanner({ now }: { readonly now: Date }) {
  const t = useT();
  const { profile, settings } = useSession();
  if (profile.source !== 'local') return null;
  const end = passwordEnd(
    parseTime(profile.date_password_last_updated),
    settings.SECURITY_PASSWORD_EXPIRATION_TIME,
  );
  const expiry = end && passwordExpiry(end, now);
  if (!end || !expiry) return null;
  return (
    <Banner
      tone={expiry}
      action={<AppLink to={paths.changePassword}>{t('shell:banners.password.action')}</AppLink>}
    >
      {t(expiry === 'expired' ? 'shell:banners.password.expired' : 'shell:banners.password.soon', {
        date: minuteStamp(end),
      })}
    </Banner>
  );
}

/** The server failed in the public settings alone. The menu lacks what depends on them. */
function SettingsBanner() {
  const t = useT();
  if (useSession().settings !== NO_SETTINGS) return null;
  return (
    <Banner
      tone="expired"
      action={
        <Button size="sm" onClick={() => browserLocation.reload()}>
          {t('ui:retry')}
        </Button>
      }
    >
      {t('shell:banners.settings')}
    </Banner>
  );
}

/** Warnings about settings that did not load, and a licence or password that expires soon or has expired. */
export function Banners() {
  const [now, setNow] = useState(() => new Date());
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) =>
      style.setProperty('--banners', `${entry?.contentRect.height ?? 0}px`),
    );
    if (strip.current) observer.observe(strip.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), HOUR_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div ref={strip} role="status">
      <SettingsBanner />
      <LicenceBanner now={now} />
      <PasswordBanner now={now} />
    </div>
  );
}
