import {
  type AnyRoute,
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { loadNamespaces } from '#/lib/i18n';
import type { RouteRecord, Section } from '#/lib/routes';
import { currentSession, type Session } from '#/lib/session';
import { Splash } from './pages/Splash';
import { askForGuard, guard } from './guard/guard';
import { homeOf, menuFor, refusalOf, sections } from './sections';

function sessionOrThrow(): Session {
  const session = currentSession();
  if (!session) throw new Error('a guarded route was entered without a session');
  return session;
}

const SIGN_IN_TEXTS = ['signin'];
const CHANGE_TEXTS = ['signin', 'credentials'];
const SHELL_TEXTS = ['shell', 'messages'];

/** Of a route: the texts that are loaded before it is shown. */
const needing = (texts: readonly string[]) => ({
  staticData: { texts },
  beforeLoad: () => loadNamespaces(texts),
});

const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: lazyRouteComponent(() => import('./pages/ErrorPage'), 'ErrorPage'),
});

const SIGN_IN_PAGE = {
  getParentRoute: () => rootRoute,
  ...needing(SIGN_IN_TEXTS),
};

const loginRoute = createRoute({
  ...SIGN_IN_PAGE,
  path: '/login',
  component: lazyRouteComponent(() => import('#/features/signin/SignInPage'), 'SignInPage'),
});

const changePasswordRoute = createRoute({
  ...SIGN_IN_PAGE,
  path: '/change-password',
  ...needing(CHANGE_TEXTS),
  component: lazyRouteComponent(() => import('#/features/signin/ChangePasswordPage'), 'ChangePasswordPage'),
});

const setPasswordRoute = createRoute({
  ...SIGN_IN_PAGE,
  path: '/set-password',
  component: lazyRouteComponent(() => import('#/features/signin/LinkPage'), 'LinkPage'),
});

const queryRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'queries',
  component: lazyRouteComponent(() => import('./QueryScope'), 'QueryScope'),
});

const guardedRoute = createRoute({
  getParentRoute: () => queryRoute,
  id: 'guarded',
  beforeLoad: ({ location }) => guard(location.pathname.replace(/\/$/, '')),
  pendingComponent: Splash,
  pendingMs: 150,
  component: Outlet,
});

const shellRoute = createRoute({
  getParentRoute: () => guardedRoute,
  id: 'shell',
  ...needing(SHELL_TEXTS),
  component: lazyRouteComponent(() => import('./shell/Shell'), 'Shell'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => guardedRoute,
  id: 'workspace',
  ...needing(SHELL_TEXTS),
  component: lazyRouteComponent(() => import('./shell/BareFrame'), 'BareFrame'),
});

function goHome(): never {
  throw redirect({ to: homeOf(sessionOrThrow()), replace: true });
}

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: goHome,
});

const forbiddenRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/403',
  component: lazyRouteComponent(() => import('./pages/RefusedPage'), 'RefusedPage'),
});

const missingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/404',
  component: lazyRouteComponent(() => import('./pages/NotFoundPage'), 'NotFoundPage'),
});

const unknownRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  beforeLoad: () => {
    throw redirect({ to: '/404', replace: true });
  },
});

/**
 * Each section is a parent route with its screens nested in it. Screens with a frame of their own are siblings of the
 * shell.
 */
function sectionRoutes(section: Section, frame: 'shell' | 'bare') {
  const routes = section.routes.filter((record) => (record.frame ?? 'shell') === frame);
  if (routes.length === 0) return [];
  const parent = createRoute({
    getParentRoute: () => (frame === 'bare' ? workspaceRoute : shellRoute),
    id: frame === 'bare' ? `${section.id}-bare` : section.id,
    component: Outlet,
  });
  const index = (path: string) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      beforeLoad: () => {
        const session = sessionOrThrow();
        const [first] = menuFor(session, [section]).flatMap((open) => open.routes);
        // A person who may open none of them is sent to the first page, which shows why it is refused.
        throw redirect({ to: (first ?? section.routes[0])?.path ?? homeOf(session), replace: true });
      },
    });
  const nested = routes.map((record) => routeOf(record, () => parent));
  const isIndexed = section.path !== undefined && frame === 'shell';
  return [parent.addChildren(isIndexed ? [index(section.path ?? '/'), ...nested] : nested)];
}

function routeOf(record: RouteRecord, getParentRoute: () => AnyRoute) {
  const component = lazyRouteComponent(async () => ({ default: await record.load() }));
  return createRoute({
    getParentRoute,
    path: record.path,
    staticData: { record: record.name, texts: record.texts },
    loader: ({ location, preload }) => {
      const refusal = refusalOf(record, sessionOrThrow());
      if (refusal)
        throw redirect({ to: '/403', search: { screen: record.name, why: refusal }, replace: true });
      // If the prefetch fails, the screen sends the request itself and shows the error.
      if (!preload) record.prepare?.(location.search).catch(() => undefined);
      return loadNamespaces(record.texts);
    },
    errorComponent: lazyRouteComponent(() => import('./pages/ErrorPage'), 'ErrorPage'),
    component,
  });
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Name of the route record from which this route was built. */
    readonly record?: string;
    /** Text namespaces that the route loads before it is drawn. */
    readonly texts?: readonly string[];
  }
}

const development = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => queryRoute,
        path: '/__gallery',
        component: lazyRouteComponent(() => import('./pages/Gallery'), 'Gallery'),
      }),
      createRoute({
        getParentRoute: () => queryRoute,
        path: '/__gallery/messages',
        component: lazyRouteComponent(() => import('./pages/messages/MessageGallery'), 'MessageGallery'),
      }),
    ]
  : [];

/** Query values are plain text: `?page=2&search=web`. */
const plainSearch = {
  parseSearch: (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const entries = Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    );
    const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
};

/** Addresses at which the server serves the sign-in page itself, wherever the console is mounted. */
const SIGN_IN_ADDRESS = /^(?<base>\/core\/auth|)\/login\/?$/;

/** Base path of the routes: the console's, or that of a sign-in page served elsewhere. */
export function basepathAt(pathname: string): string {
  const groups = SIGN_IN_ADDRESS.exec(pathname)?.groups;
  return groups ? groups['base'] || '/' : '/ui';
}

export function makeRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren([
      loginRoute,
      changePasswordRoute,
      setPasswordRoute,
      queryRoute.addChildren([
        guardedRoute.addChildren([
          shellRoute.addChildren([
            homeRoute,
            forbiddenRoute,
            missingRoute,
            ...sections.flatMap((section) => sectionRoutes(section, 'shell')),
          ]),
          workspaceRoute.addChildren(sections.flatMap((section) => sectionRoutes(section, 'bare'))),
        ]),
        ...development,
      ]),
      unknownRoute,
    ]),
    basepath: basepathAt(location.pathname),
    trailingSlash: 'preserve',
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    ...plainSearch,
  });
}

/**
 * Starts to load the first screen: its code and, for a guarded screen, the guard's requests, in parallel. Returns the
 * text namespaces that the screen needs. Loading code needs no permission; the guard still decides what is shown.
 */
export function loadAhead(router: AppRouter): readonly string[] {
  const [branch] = router.getMatchedRoutes(router.latestLocation.pathname);
  if (branch.some((route) => route.id === guardedRoute.id)) askForGuard();
  for (const { options } of branch)
    void (options.component as Partial<AsyncRouteComponent<object>>)?.preload?.();
  return branch.flatMap(({ options }) => options.staticData?.texts ?? []);
}

export type AppRouter = ReturnType<typeof makeRouter>;
