//! The JavaScript interface: one object with one function.

use super::RequestHandler;
use crate::net::Network;
use js_sys::Function;
use std::ops::ControlFlow;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Writes a panic, which is a bug of the program, to the browser's console.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| error(&info.to_string())));
}

/// Handles the page's requests: see `src/web/request_handler.rs`.
#[wasm_bindgen(js_name = RequestHandler)]
#[derive(Default)]
pub struct JsRequestHandler(RequestHandler);

#[wasm_bindgen(js_class = RequestHandler)]
impl JsRequestHandler {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The networks of the library that a request needs, by name.
    pub fn networks(&self, request: &str) -> Vec<String> {
        self.0.networks(request)
    }

    /// Hands over the file of a network, before a request that needs it.
    pub fn provide(&self, name: &str, bytes: Vec<u8>) {
        Network::provide(name, bytes);
    }

    /// Handles a request, one at a time; both request and answer are JSON. `listener` gets the progress as JSON, or
    /// `undefined` without any, and ends the work by returning true.
    ///
    /// # Errors
    /// The message of the error.
    pub async fn handle(&mut self, request: String, listener: Function) -> Result<String, JsError> {
        let mut observe = |news: Option<String>| {
            let news = news.map_or(JsValue::UNDEFINED, JsValue::from);
            match listener.call1(&JsValue::UNDEFINED, &news) {
                Ok(stop) if stop.is_falsy() => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        self.0.handle(&request, &mut observe).await.map_err(|error| JsError::new(&error.to_string()))
    }
}
