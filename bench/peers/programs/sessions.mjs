/** For clients that hold one server each: opens all of them concurrently and stores what they list. */

export async function openEach(servers, open) {
  const clients = await Promise.all(Object.values(servers).map(open));
  let kept = [];
  return {
    list: async () => {
      kept = await Promise.all(clients.map((client) => client.listTools()));
      return kept.reduce((sum, { tools }) => sum + tools.length, 0);
    },
    call: async (name, given) => (await clients[0].callTool({ name, arguments: given })).content[0].text,
    close: () => Promise.all(clients.map((client) => client.close())),
  };
}
