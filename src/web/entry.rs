//! The way in from JavaScript: one object with one function.

use super::Desk;
use js_sys::Function;
use std::ops::ControlFlow;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Says in the browser's console where the program has panicked, which is its own mistake.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| error(&info.to_string())));
}

/// Answers a page: see `src/web/desk.rs`.
#[wasm_bindgen(js_name = Desk)]
#[derive(Default)]
pub struct JsDesk(Desk);

#[wasm_bindgen(js_class = Desk)]
impl JsDesk {
    /// Without a machine, and without a game.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to a request, both as JSON. One at a time. `tell` gets news as JSON, or `undefined` for none, and
    /// ends the work by returning true.
    ///
    /// # Errors
    /// What was wrong, and what to do.
    pub async fn answer(&mut self, request: String, tell: Function) -> Result<String, JsError> {
        let mut listener = |news: Option<String>| {
            let news = news.map_or(JsValue::UNDEFINED, JsValue::from);
            match tell.call1(&JsValue::UNDEFINED, &news) {
                Ok(stop) if stop.is_falsy() => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        self.0.answer(&request, &mut listener).await.map_err(|error| JsError::new(&error.to_string()))
    }
}
