// Search on pages that are opened from the disk. There a browser starts no Worker, so its script runs
// in a hidden frame instead, which has a global scope of its own too; messages become events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const scope = this.frame.contentWindow
      // a document that is written stays; the empty one of a new frame may still be replaced
      scope.document.open()
      scope.document.write("<!doctype html><body></body>")
      scope.document.close()
      scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
      this.loaded = new Promise((resolve, reject) => {
        const script = scope.document.createElement("script")
        script.onload = resolve
        script.onerror = reject
        script.src = new URL(url, location.href).href
        scope.document.body.append(script)
      })
    }

    postMessage(data) {
      const scope = this.frame.contentWindow
      this.loaded.then(() => scope.dispatchEvent(new MessageEvent("message", {data})))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
