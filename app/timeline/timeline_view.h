// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/tracking/link_wires.h"
#include "app/model/tracking/selection.h"
#include "app/model/tracking/stage_loads.h"
#include "app/model/tracking/time_cursor.h"
#include "app/timeline/live_spans.h"
#include "app/timeline/step_box.h"
#include "app/timeline/timeline_canvas.h"
#include "app/timeline/timeline_source.h"

namespace divisi::timeline {

/// Shows the activity of every instance in a step. The simulator's prediction, for the plan on screen or for a task, is
/// above the measurement of a running task or of an opened trace. A table sums the selected range or, without a
/// selection, the whole step. The table also shows the reports of running instances: shares of computing and waiting,
/// and bytes.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    TimelineView(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                 model::PlanningService& planning, QWidget* parent = nullptr);

    /// Shows the plan of this task; empty: the plan on screen.
    void show_task(const TaskId& task);
    /// Connects the view with the selection. Marks the lane of the selected instance, or of the instance that runs the
    /// selected unit. Shows the selected step of the task if it was measured. `selection` must outlive the view.
    void use_selection(model::Selection& selection);
    /// Uses `wires` to draw a frame around the waits for tensors that use the selected link. `wires` must outlive the
    /// view.
    void use_wires(const model::LinkWires& wires);
    void use_cursor(model::TimeCursor& cursor);

    TimelineCanvas& canvas() { return *canvas_; }
    /// Opens a trace: the folder that the environment variable DIVISI_TRACE named while the task ran. The trace is read
    /// in the background and then shown. If this fails, the view shows the reason.
    void open_trace(const QString& folder);
    /// Writes all displayed data as a Chrome trace in the background. The view then shows the result, or the reason of
    /// a failure.
    void save_trace(const QString& file);

Q_SIGNALS:
    /// A menu is about to open: receivers add their actions for the selection.
    void menuOpens(QMenu* menu);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A trace with its timeline. `programs` divide the waits, if they have as many stages as the trace.
    struct Traced {
        std::shared_ptr<const std::vector<model::Span>> operations;
        std::shared_ptr<const plan::Programs> programs;
        std::shared_ptr<const model::Timeline> timeline;
    };
    static Traced traced(std::shared_ptr<const std::vector<model::Span>> operations,
                         std::shared_ptr<const plan::Programs> programs);
    void build();
    void connect_parts();
    void watch();
    void refresh();
    void show_steps();
    void show_title();
    QString why_no_step() const;
    void make_measured();
    void mark_wires();
    void take_trace(Traced trace);
    void split_trace();
    void close_trace();
    std::shared_ptr<const plan::Programs> programs() const;
    std::vector<Track> tracks() const;
    bool shows_trace() const { return trace_.operations != nullptr; }
    const control::TaskView* task() const;
    void choose_step(int step);
    void show_selected(const model::Selected& now);
    const model::StepSpan* measured_step() const;
    std::vector<std::int32_t> sorted_instances(const std::vector<model::TimelineSums>& sums) const;
    QVariant key_of(std::int32_t instance, int column, const std::vector<model::TimelineSums>& sums) const;
    void fill_table();
    void fill_stale_table();
    void fill_row(int row, std::int32_t instance, const std::vector<model::TimelineSums>& sums);
    void set_cell(int row, int column, const QString& text);
    model::StageLoad reported(std::int32_t stage) const;
    void fill_last_row(int row, const std::vector<model::TimelineSums>& sums);
    QString table_text() const;
    void open_menu(const QPoint& global, std::optional<std::int32_t> instance);
    void show_moment();
    void press_instance(int instance);
    void ask_for_trace();
    void ask_for_export();
    void say(const QString& text, bool problem);
    void retranslate();

    client::Client* client_;
    TimelineSource source_;
    LiveSpans live_;
    QPointer<model::Selection> selection_;
    const model::LinkWires* wires_ = nullptr;
    QPointer<model::TimeCursor> moment_;
    TaskId followed_;  ///< task whose plan the user can choose instead of the plan on screen
    Traced trace_;     ///< opened trace; if it has no operations, no trace is open
    /// measured timeline, from the trace or from live spans; null: no measurement
    std::shared_ptr<const model::Timeline> measured_;
    QComboBox* whose_;
    QLabel *title_, *step_label_, *legend_, *problem_;
    StepBox* step_;
    QPushButton *open_, *close_, *export_;
    TimelineCanvas* canvas_;
    QTableWidget* table_;
    QSplitter* split_;
    bool stale_ = false;  ///< whether the table must be filled when it becomes visible
    model::PlanningLine reading_, splitting_, writing_;
};

}  // namespace divisi::timeline
