import { Languages, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { changeLanguage, currentLanguage, useT } from '#/lib/i18n';
import { useTheme } from '#/lib/theme';
import { Button, IconButton } from '#/ui/button';
import { Logo } from '#/ui/logo';
import { Wall } from './Wall';

/** Wall on the left, a narrow form on the right. Language and theme can be changed before signing in. */
export function SignInFrame({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const theme = useTheme();
  const dark = document.documentElement.dataset.theme === 'dark';
  return (
    <div className="grid min-h-dvh bg-surface-1 md:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <Wall />
      <div className="flex min-h-dvh flex-col">
        <div className="flex items-center gap-1 p-3">
          <span className="grow pl-2 md:invisible">
            <Logo />
          </span>
          <Button
            kind="text"
            icon={Languages}
            onClick={() => void changeLanguage(currentLanguage() === 'zh' ? 'en' : 'zh')}
          >
            <span lang={currentLanguage() === 'zh' ? 'en' : 'zh-CN'}>{t('app:language.other')}</span>
          </Button>
          <IconButton
            kind="text"
            icon={dark ? Sun : Moon}
            label={t(dark ? 'app:theme.light' : 'app:theme.dark')}
            onClick={() => theme.choose(dark ? 'light' : 'dark')}
          />
        </div>
        <main className="grid grow justify-items-center px-4 py-6">
          {/* Hung from the top: a centred column would move under the pointer when it grows. */}
          <div className="w-full max-w-[360px] pt-[12vh] max-sm:pt-4">{children}</div>
        </main>
        <footer className="p-4 text-center text-meta text-ink-3">
          {t('signin:recorded')} · Postern {__POSTERN_VERSION__}
        </footer>
      </div>
    </div>
  );
}
