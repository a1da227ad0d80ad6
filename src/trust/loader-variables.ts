/**
 * Variables that make a program load other code. In a project's entry they need a confirmation of their own.
 */

import type { ServerDefinition } from '../kernel/servers.ts';

const loader = new RegExp(
  `^(?:${[
    'LD_.*|DYLD_.*|GCONV_PATH|OPENSSL_CONF',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|npm_config_.*|BUN_.*|DENO_DIR',
    'PYTHON(?:PATH|STARTUP|HOME|USERBASE|INSPECT|BREAKPOINT)|PIP_.*|UV_.*',
    'PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|GEM_(?:HOME|PATH)|BUNDLE_.*|PHPRC|PHP_INI_SCAN_DIR|LUA_(?:INIT|PATH|CPATH).*',
    'JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_(?:ENABLE_PROFILING|PROFILER.*)',
    'BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|ZDOTDIR|PATH|PATHEXT|COMSPEC|HOME|XDG_CONFIG_HOME',
    'GIT_.*|SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER|DOCKER_HOST',
    'MAKEFILES|MAKEFLAGS|GNUMAKEFLAGS|COMPOSE_(?:FILE|ENV_FILES)|JUST_JUSTFILE',
  ].join('|')})$`,
  'i',
);

export function loaderVariables({ launch }: ServerDefinition): readonly string[] {
  if (launch.kind !== 'stdio') return [];
  return Object.keys({ ...launch.env, ...launch.envFrom }).filter((name) => loader.test(name));
}
