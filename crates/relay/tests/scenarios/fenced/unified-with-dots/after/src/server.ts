import { port } from './config';

export function start() {
  const app = create();
  app.listen(port);
  return app;
}

export function stop(app) {
  app.close(true);
}
