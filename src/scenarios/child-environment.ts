type Environment = Readonly<Record<string, string | undefined>>;

/** What programs need to run: where things are, and how to speak. Nothing that grants access to anything. */
const ALLOWED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'TMP', 'TEMP', 'LANG', 'LANGUAGE', 'TZ', 'TERM'],
  ...['NODE_ENV', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CI', 'NO_COLOR', 'FORCE_COLOR'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'COMSPEC',
    'PATHEXT',
    'USERPROFILE',
    'APPDATA',
    'LOCALAPPDATA',
    'PROGRAMDATA',
  ],
]);

/**
 * The environment of the user's code: what programs need, and the variables that the configuration names.
 *
 * @param named names of variables.
 */
export function childEnvironment(env: Environment, named: readonly string[]): Environment {
  const wanted = new Set(named);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      // Windows spells them in any case.
      const upper = name.toUpperCase();
      return wanted.has(name) || ALLOWED.has(upper) || upper.startsWith('LC_');
    }),
  );
}
