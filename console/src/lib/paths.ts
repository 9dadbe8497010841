/**
 * Addresses that features link to across feature borders. Features do not import each other, so the addresses are
 * shared here.
 */
export const paths = {
  home: '/',
  start: (query = '') => `/start${query}`,
  newHost: '/assets/new-host',
  login: '/login',
  profile: '/users/profile',
  messages: '/notifications/site-messages',
  tickets: '/tickets/tickets',
  help: (topic: 'docs' | 'support' | 'enterprise') => `/help?topic=${topic}`,
  guidePage: (name: string) => `/help/guide/${name}`,
  firstLogin: '/users/first-login/personal-information-improvement',
  guide: '/users/first-login/guide/',
  changePassword: '/change-password',
  connect: (assetId: string) => `/connect?asset=${encodeURIComponent(assetId)}`,
  /** The file manager with an asset, and with an account of it. */
  files: (assetId: string, systemUserId?: string) =>
    `/files?asset=${encodeURIComponent(assetId)}${systemUserId === undefined ? '' : `&system_user=${encodeURIComponent(systemUserId)}`}`,
  user: (id: string) => `/users/users/${id}`,
  userGroup: (id: string) => `/users/groups/${id}`,
  assetsOfNode: (nodeId: string) => `/assets/assets?node=${encodeURIComponent(nodeId)}`,
  asset: (id: string) => `/assets/assets/${id}`,
  commandFilter: (id: string) => `/assets/cmd-filters/${id}`,
  systemUser: (id: string) => `/assets/system-users/${id}`,
  assetPermission: (id: string) => `/perms/asset-permissions/${id}`,
  assetPermissions: (query = '') => `/perms/asset-permissions${query}`,
  createAssetPermission: (query = '') => `/perms/asset-permissions/create${query}`,
  applicationPermission: (id: string) => `/perms/app-permissions/${id}`,
  createApplicationPermission: '/perms/app-permissions/create',
  /** Lists of applications by category; the addresses of their other screens start with them. */
  applications: {
    remote_app: '/applications/remote-apps',
    db: '/applications/databases',
    cloud: '/applications/kubernetes',
  },
  /** `atMs`: where the replay starts, in milliseconds. */
  session: (id: string, atMs?: number) =>
    `/terminal/sessions/${id}${atMs === undefined ? '' : `?t=${atMs / 1000}`}`,
  sessionPreview: (id: string) => `/terminal/session?activeTab=online&preview=${encodeURIComponent(id)}`,
  sessions: (query = '') => `/terminal/session${query}`,
} as const;

/** Server paths outside of the console. */
export const serverPaths = {
  login: '/core/auth/login/',
  logout: '/core/auth/logout/',
} as const;
