// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/panels/forms/task_form.h"
#include "app/shell/cutting/graph_page.h"
#include "app/shell/presenting/presenter.h"
#include "app/shell/window/main_window.h"

namespace divisi::testing {

/// Gives tests access to the parts of a window that no other code may reach. It is a friend of MainWindow.
struct WindowParts {
    static graphview::GraphView& graph_view(shell::MainWindow& window) { return window.graph_->view(); }
    static graphview::OperatorTimeline& operator_timeline(shell::MainWindow& window) { return window.graph_->score(); }
    static panels::TaskForm& task_form(shell::MainWindow& window) { return *window.form_; }
    static shell::Presenter& presenter(shell::MainWindow& window) { return *window.presenter_; }
    static shell::Guide& guide(shell::MainWindow& window) { return *window.guide_; }
};

}  // namespace divisi::testing
