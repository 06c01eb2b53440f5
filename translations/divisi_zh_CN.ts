<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open model or task...</source>
        <translation>打开模型或任务(&amp;O)...</translation>
    </message>
    <message>
        <source>Open model from the &amp;zoo...</source>
        <translation>从模型库打开(&amp;Z)...</translation>
    </message>
    <message>
        <source>&amp;Save task</source>
        <translation>保存任务(&amp;S)</translation>
    </message>
    <message>
        <source>Save task &amp;as...</source>
        <translation>任务另存为(&amp;A)...</translation>
    </message>
    <message>
        <source>&amp;Close model</source>
        <translation>关闭模型(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Find operator</source>
        <translation>查找算子(&amp;F)</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find &amp;previous</source>
        <translation>查找上一个(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Cuts</source>
        <translation>切分(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Add cut</source>
        <translation>添加切分点(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Remove focused cut</source>
        <translation>删除选中的切分点(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Equal FLOPs</source>
        <translation>按计算量均分(&amp;E)</translation>
    </message>
    <message>
        <source>Remove a&amp;ll cuts</source>
        <translation>删除所有切分点(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Next cut</source>
        <translation>下一个切分点(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous cut</source>
        <translation>上一个切分点(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Actual size</source>
        <translation>实际大小(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Fit graph</source>
        <translation>显示全图(&amp;F)</translation>
    </message>
    <message>
        <source>Fit &amp;width</source>
        <translation>适合宽度(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Close all scopes</source>
        <translation>收起所有作用域(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Task</source>
        <translation>任务(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Run task</source>
        <translation>运行任务(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;top task</source>
        <translation>停止任务(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;New task</source>
        <translation>新建任务(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>深色主题(&amp;D)</translation>
    </message>
    <message>
        <source>S&amp;ystem theme</source>
        <translation>跟随系统主题(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Command palette</source>
        <translation>命令面板(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Go to the next cut; after the last cut, leave the graph</source>
        <translation>依次选中各切分点，然后离开视图</translation>
    </message>
    <message>
        <source>Move the focused cut by one legal position; without one, move the selection</source>
        <translation>将选中的切分点移动一个合法位置；未选中时移动选择</translation>
    </message>
    <message>
        <source>Open or close the selected scope</source>
        <translation>展开或收起选中的作用域</translation>
    </message>
    <message>
        <source>Close the scope around the selection</source>
        <translation>收起选中项所在的作用域</translation>
    </message>
    <message>
        <source>Go to the first or last operator</source>
        <translation>转到第一个或最后一个算子</translation>
    </message>
    <message>
        <source>Zoom at the pointer; with Shift: scroll</source>
        <translation>在指针处缩放；按住 Shift 滚动</translation>
    </message>
    <message>
        <source>&amp;Optimize</source>
        <translation>优化(&amp;O)</translation>
    </message>
    <message>
        <source>Ne&amp;w segment</source>
        <translation>新分段(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Mend segments</source>
        <translation>修复分段(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Back to cuts</source>
        <translation>改回切分点(&amp;B)</translation>
    </message>
    <message>
        <source>Paint the selection with this segment; while painting, choose this segment</source>
        <translation>把所选内容涂成该分段；涂色时选用该分段</translation>
    </message>
    <message>
        <source>Select several blocks</source>
        <translation>选择多个块</translation>
    </message>
    <message>
        <source>While painting: paint the blocks under the pointer; from empty space, draw a frame around blocks</source>
        <translation>涂色时：涂色经过的块；从空白处开始则框选</translation>
    </message>
    <message>
        <source>While painting: choose the segment of a block</source>
        <translation>涂色时：选用某个块的分段</translation>
    </message>
    <message>
        <source>Move the graph</source>
        <translation>移动图</translation>
    </message>
    <message>
        <source>In the topology: go to the next element, or to the first</source>
        <translation>在拓扑图中：移到相邻元素，或第一个元素</translation>
    </message>
    <message>
        <source>In the topology: move a MIC or a router</source>
        <translation>在拓扑图中：移动 MIC 或路由器</translation>
    </message>
    <message>
        <source>In the topology: show the element&apos;s details</source>
        <translation>在拓扑图中：显示该元素的全部信息</translation>
    </message>
    <message>
        <source>To&amp;pology</source>
        <translation>拓扑(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Demonstrate</source>
        <translation>演示(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Cut link</source>
        <translation>切断链路(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Slow link...</source>
        <translation>减慢链路(&amp;S)...</translation>
    </message>
    <message>
        <source>&amp;Kill router</source>
        <translation>终止路由器(&amp;K)</translation>
    </message>
    <message>
        <source>Kill &amp;instance</source>
        <translation>终止实例(&amp;I)</translation>
    </message>
    <message>
        <source>Kill &amp;node</source>
        <translation>终止节点(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Pause instance...</source>
        <translation>暂停实例(&amp;P)...</translation>
    </message>
    <message>
        <source>&amp;Heal link</source>
        <translation>恢复链路(&amp;H)</translation>
    </message>
    <message>
        <source>Heal &amp;all links</source>
        <translation>恢复所有链路(&amp;A)</translation>
    </message>
    <message>
        <source>Pa&amp;int segments</source>
        <translation>涂色分段(&amp;I)</translation>
    </message>
    <message>
        <source>Move the focused cut by ten legal positions</source>
        <translation>将选中的切分点移动十个合法位置</translation>
    </message>
    <message>
        <source>C&amp;entre the selection, then fit</source>
        <translation>将选择居中，再按则适应窗口(&amp;E)</translation>
    </message>
    <message>
        <source>Shift+↑ ↓, Shift+Click, Ctrl+Click</source>
        <translation>Shift+↑ ↓、Shift+单击、Ctrl+单击</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>Ctrl+Click</source>
        <translation>Ctrl+单击</translation>
    </message>
    <message>
        <source>Middle button</source>
        <translation>鼠标中键</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>回车键</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>退格键</translation>
    </message>
    <message>
        <source>Enter, double click</source>
        <translation>回车键、双击</translation>
    </message>
    <message>
        <source>Shift+← ↑ → ↓, Drag</source>
        <translation>Shift+← ↑ → ↓、拖动</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>滚轮</translation>
    </message>
    <message>
        <source>Co&amp;nnect to cluster...</source>
        <translation>连接到集群(&amp;N)...</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>&amp;Export graph...</source>
        <translation>导出图(&amp;E)...</translation>
    </message>
    <message>
        <source>Open recor&amp;ding...</source>
        <translation>打开录制文件(&amp;D)...</translation>
    </message>
    <message>
        <source>&amp;Record</source>
        <translation>录制(&amp;R)</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>均分</translation>
    </message>
    <message>
        <source>Optimize</source>
        <translation>优化</translation>
    </message>
    <message>
        <source>Paint</source>
        <translation>涂色</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>切分</translation>
    </message>
    <message>
        <source>&amp;Train workspace</source>
        <translation>“训练”工作区(&amp;T)</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>&amp;Mesh workspace</source>
        <translation>“网格”工作区(&amp;M)</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>Model &amp;graph</source>
        <translation>模型图(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Score</source>
        <translation>总谱(&amp;S)</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>总谱</translation>
    </message>
    <message>
        <source>Task grap&amp;h</source>
        <translation>任务图(&amp;H)</translation>
    </message>
    <message>
        <source>P&amp;lay or pause the time shown</source>
        <translation>播放或暂停所显示的时间(&amp;L)</translation>
    </message>
    <message>
        <source>Ne&amp;xt colouring</source>
        <translation>下一种着色(&amp;X)</translation>
    </message>
    <message>
        <source>Blocks without colours</source>
        <translation>块不着色</translation>
    </message>
    <message>
        <source>Colour blocks by segment</source>
        <translation>按分段着色</translation>
    </message>
    <message>
        <source>Colour blocks by time</source>
        <translation>按时间着色</translation>
    </message>
    <message>
        <source>Colour blocks by memory</source>
        <translation>按内存着色</translation>
    </message>
    <message>
        <source>Colour blocks by bytes</source>
        <translation>按字节数着色</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Ad&amp;vise other cuts</source>
        <translation>建议其他切分(&amp;V)</translation>
    </message>
    <message>
        <source>New task</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>&amp;Text in the toolbar</source>
        <translation>工具栏显示文字(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Go to Train when a task starts</source>
        <translation>任务启动时转到“训练”工作区(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;All settings...</source>
        <translation>全部设置(&amp;A)...</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>手册(&amp;M)</translation>
    </message>
    <message>
        <source>Guide: c&amp;ut and train</source>
        <translation>向导：切分并训练(&amp;U)</translation>
    </message>
    <message>
        <source>Guide: &amp;break a link</source>
        <translation>向导：断开链路(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;About Divisi...</source>
        <translation>关于 Divisi(&amp;A)...</translation>
    </message>
    <message>
        <source>Shift+Drag</source>
        <translation>Shift+拖动</translation>
    </message>
    <message>
        <source>While painting: paint the blocks inside a lasso</source>
        <translation>涂色时：涂色套索内的块</translation>
    </message>
    <message>
        <source>Alt</source>
        <translation>Alt</translation>
    </message>
    <message>
        <source>While a cut is dragged: show where it would land, without snapping</source>
        <translation>拖动切分点时：不吸附，并显示它会落在何处</translation>
    </message>
    <message>
        <source>In the score: move the focused cut by one or ten legal positions; without one, move the selection</source>
        <translation>在总谱中：将选中的切分点移动一个或十个合法位置，或移动选择</translation>
    </message>
    <message>
        <source>In the task graph: go to the next unit; after the last unit, leave the graph</source>
        <translation>在任务图中：移到相邻单元，或离开单元</translation>
    </message>
    <message>
        <source>Split wor&amp;kspace</source>
        <translation>“切分”工作区(&amp;K)</translation>
    </message>
    <message>
        <source>Fa&amp;ults workspace</source>
        <translation>“故障”工作区(&amp;U)</translation>
    </message>
    <message>
        <source>Mo&amp;dels workspace</source>
        <translation>“模型”工作区(&amp;D)</translation>
    </message>
    <message>
        <source>Ope&amp;n all scopes</source>
        <translation>展开所有作用域(&amp;N)</translation>
    </message>
    <message>
        <source>Guide: mo&amp;ve a cut while training</source>
        <translation>向导：训练中移动切分点(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Back to now</source>
        <translation>回到当前时刻(&amp;B)</translation>
    </message>
    <message>
        <source>Presenter mode</source>
        <translation>演示模式</translation>
    </message>
    <message>
        <source>Next step of the scenario</source>
        <translation>向导的下一步</translation>
    </message>
    <message>
        <source>Previous step of the scenario</source>
        <translation>向导的上一步</translation>
    </message>
    <message>
        <source>Speaker notes</source>
        <translation>演讲者备注</translation>
    </message>
    <message>
        <source>Scroll by a page; in presenter mode: go one step</source>
        <translation>滚动一页；在演示模式中：前进或后退一步</translation>
    </message>
    <message>
        <source>In presenter mode, with nothing to cancel or deselect: leave the mode</source>
        <translation>在演示模式中，没有可放弃的操作且未选中任何内容时：退出该模式</translation>
    </message>
    <message>
        <source>In presenter mode: show the menu</source>
        <translation>在演示模式中：显示菜单</translation>
    </message>
    <message>
        <source>Cancel a drag; end a layout; deselect a cut; leave painting; close the search</source>
        <translation>取消拖动并恢复原状；结束布局；取消选中切分点或退出涂色；关闭查找</translation>
    </message>
    <message>
        <source>In the telemetry: move the cursor of the curves by a pixel, or by ten</source>
        <translation>遥测中：将曲线游标移动一个或十个像素</translation>
    </message>
    <message>
        <source>In the telemetry: move the chart forward or back</source>
        <translation>遥测中：将图表后移或前移一位</translation>
    </message>
    <message>
        <source>In a table: copy the selected rows, or all if none is selected</source>
        <translation>表格中：复制选中的行；未选中时复制全部</translation>
    </message>
    <message>
        <source>In the timeline: move forward or back by a tenth of the view</source>
        <translation>时间线中：向后或向前移动所示范围的十分之一</translation>
    </message>
    <message>
        <source>In the timeline: zoom in or out, or show the whole step</source>
        <translation>时间线中：放大或缩小，或显示整个步</translation>
    </message>
    <message>
        <source>In the timeline: clear the selected range</source>
        <translation>时间线中：取消所选范围</translation>
    </message>
    <message>
        <source>&amp;Measure operators</source>
        <translation>实测算子(&amp;M)</translation>
    </message>
    <message>
        <source>In the cost landscape: move its cut by one or ten legal positions</source>
        <translation>在代价曲线中：将其切分点移动一个或十个合法位置</translation>
    </message>
    <message>
        <source>In the telemetry: zoom in or out at the cursor; go back, then show all steps</source>
        <translation>遥测中：在游标处放大或缩小，或返回，再按则显示全部</translation>
    </message>
    <message>
        <source>In the telemetry: select the step or the moment at the cursor</source>
        <translation>遥测中：选择游标所在的步或时刻</translation>
    </message>
    <message>
        <source>In the timeline: select a range to sum; grow or shrink it by a twentieth of the view</source>
        <translation>时间线中：统计一段范围，每次增减所示范围的二十分之一</translation>
    </message>
    <message>
        <source>Menu, Shift+F10</source>
        <translation>菜单键，Shift+F10</translation>
    </message>
    <message>
        <source>In a table: open the menu of the selected row; sort by a column</source>
        <translation>表格中：可对选中的行执行的操作；按列排序</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Delete 键</translation>
    </message>
    <message>
        <source>In a table of exceptions or versions: drop the selected one</source>
        <translation>异常或版本的表格中：移除选中的一项</translation>
    </message>
    <message>
        <source>Start a cl&amp;uster on this machine</source>
        <translation>在本机启动集群(&amp;U)</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
</context>
<context>
    <name>divisi::charts::ChartGrid</name>
    <message>
        <source>Drag onto another chart to move it there</source>
        <translation>拖到另一张图表上，即可放在该处</translation>
    </message>
</context>
<context>
    <name>divisi::charts::CompareMenu</name>
    <message>
        <source>no other task</source>
        <translation>无其他任务</translation>
    </message>
    <message>
        <source>Show the curves of other tasks in pale colours, aligned by step</source>
        <translation>以浅色显示其他任务的曲线，按步对齐</translation>
    </message>
    <message>
        <source>%1 other tasks</source>
        <translation>%1 个其他任务</translation>
    </message>
</context>
<context>
    <name>divisi::charts::ExportBar</name>
    <message>
        <source>Export the values shown</source>
        <translation>导出所显示的数值</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Export the charts</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Images (*.png)</source>
        <translation>图像 (*.png)</translation>
    </message>
    <message>
        <source>Export values...</source>
        <translation>导出数值...</translation>
    </message>
    <message>
        <source>Every value in the ranges shown, as CSV with units and unlocalised numbers</source>
        <translation>所显示范围内的每个数值，CSV 格式，带单位，数字不随语言变化</translation>
    </message>
    <message>
        <source>Export image...</source>
        <translation>导出图像...</translation>
    </message>
    <message>
        <source>All charts as they are shown, as PNG</source>
        <translation>按当前显示导出所有图表，PNG 格式</translation>
    </message>
    <message>
        <source>The charts are in %1.</source>
        <translation>图表已保存到 %1。</translation>
    </message>
    <message>
        <source>Values exported: %1, to %2.</source>
        <translation>已导出 %1 个值到 %2。</translation>
    </message>
    <message>
        <source>Cancel the export</source>
        <translation>取消导出</translation>
    </message>
</context>
<context>
    <name>divisi::charts::TelemetryNotices</name>
    <message>
        <source>Measurements dropped because they arrived too fast for this window: %1. States and steps are complete.</source>
        <translation>测量值到达的速度超过本窗口的处理速度，至今已略去 %1 个。状态和训练步是完整的。</translation>
    </message>
    <message>
        <source>Measurements missing up to here because they arrived too fast for the recording window: %1. States and steps are complete.</source>
        <translation>测量值到达的速度超过录制窗口的处理速度，到此处为止，本录制缺少 %1 个测量值。状态和训练步是完整的。</translation>
    </message>
</context>
<context>
    <name>divisi::charts::ChartMenu</name>
    <message>
        <source>Select this step</source>
        <translation>选择这一步</translation>
    </message>
    <message>
        <source>Show this moment in all views</source>
        <translation>在所有视图中显示这一时刻</translation>
    </message>
    <message>
        <source>Copy the values here</source>
        <translation>复制此处的值</translation>
    </message>
    <message>
        <source>Copy the chart as an image</source>
        <translation>将图表复制为图像</translation>
    </message>
    <message>
        <source>Zoom in here</source>
        <translation>在此处放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Leave the range</source>
        <translation>离开该区间</translation>
    </message>
    <message>
        <source>Show the full range</source>
        <translation>显示全部时间</translation>
    </message>
</context>
<context>
    <name>divisi::charts::LineChart</name>
    <message>
        <source>⚠ %1 %2: %3</source>
        <translation>⚠ %1 %2：%3</translation>
    </message>
    <message>
        <source>%1, and %2 more</source>
        <translation>%1，另有 %2 处</translation>
    </message>
</context>
<context>
    <name>divisi::charts::TelemetryView</name>
    <message>
        <source>Waiting for the first step of %1.</source>
        <translation>正在等待 %1 的第一步。</translation>
    </message>
    <message>
        <source>%1 at step %2</source>
        <translation>%1（第 %2 步）</translation>
    </message>
    <message>
        <source>accuracy %1</source>
        <translation>准确率 %1</translation>
    </message>
    <message>
        <source>mean %1 %</source>
        <translation>平均 %1 %</translation>
    </message>
    <message>
        <source>Generation %1, from step %2</source>
        <translation>第 %1 代，从第 %2 步起</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Compare &amp;with</source>
        <translation>对比(&amp;W)</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>until %1</source>
        <translation>至 %1</translation>
    </message>
    <message>
        <source>%1 has ended without a step.</source>
        <translation>%1 未做任何一步就已结束。</translation>
    </message>
    <message>
        <source>%1 was stopped before its first step.</source>
        <translation>%1 在第一步之前被停止。</translation>
    </message>
    <message>
        <source>Run (F5) in New task starts another task.</source>
        <translation>在“新建任务”中按“运行”（F5）可再启动一个。</translation>
    </message>
    <message>
        <source>The cluster gave no reason; see Logs.</source>
        <translation>集群没有说明原因；请查看“日志”。</translation>
    </message>
    <message>
        <source>%1 failed before its first step.</source>
        <translation>%1 在第一步之前失败。</translation>
    </message>
    <message>
        <source>In Exceptions you can run the task again, unchanged or edited.</source>
        <translation>“异常”中可以原样或修改后再次运行它。</translation>
    </message>
    <message>
        <source>%1 is held: it was still queued when an earlier cluster ended. Use Release in Tasks to start it.</source>
        <translation>%1 已搁置：它由已结束的集群留在队列中。在“任务列表”中按“放行”启动。</translation>
    </message>
    <message>
        <source>%1 is queued until its files are on its nodes. It starts automatically.</source>
        <translation>%1 正在排队，等待其文件送达各节点。它会自动启动。</translation>
    </message>
    <message>
        <source>%1 is queued until its nodes are ready and free. It starts automatically.</source>
        <translation>%1 正在排队，等待其节点就位并空闲。它会自动启动。</translation>
    </message>
    <message>
        <source>Choose a task in Tasks to see its loss, speed and load here.</source>
        <translation>在“任务列表”中选择一个任务，即可在此查看其损失、速度和负载。</translation>
    </message>
    <message>
        <source>Show all steps and the full time instead of the last %1 s; press again to undo. Wheel: zoom at the pointer. Drag: move. Double click or 0: go back, then do the same. Arrows: move the cursor. Enter: select the step or moment there</source>
        <translation>全部步，以及全部时间而非最近 %1 秒；再按一次回到最近的时间。滚轮：在指针处缩放。拖动：移动。双击或 0：返回，再次则同样切换。方向键：移动游标。Enter：选择游标所在处</translation>
    </message>
    <message>
        <source>Loss, speed and load of a task appear here.</source>
        <translation>这里显示任务的损失、速度和负载。</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::BlockSelection</name>
    <message>
        <source>%1 blocks selected; press a digit to paint them with the segment of that number</source>
        <translation>已选 %1 个块；按数字键涂成该编号的分段</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::BlockText</name>
    <message numerus="yes">
        <source>%Ln operators</source>
        <translation>
            <numerusform>%Ln 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>some sizes are unknown and not counted</source>
        <translation>部分大小未知，未计入</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::CutCard</name>
    <message>
        <source>Cannot be dropped here: %1</source>
        <translation>不能放在此处：%1</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::CutDrag</name>
    <message>
        <source>Move cut</source>
        <translation>移动切分点</translation>
    </message>
    <message>
        <source>The cut stays where it was: %1</source>
        <translation>切分点留在原处：%1</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::CutFocus</name>
    <message>
        <source>This model has no legal cut left</source>
        <translation>此模型没有剩余的合法切分位置</translation>
    </message>
    <message>
        <source>A cut is already here</source>
        <translation>此处已有切分点</translation>
    </message>
    <message>
        <source>No legal cut position beyond this one</source>
        <translation>前方没有合法位置</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::CutOverlay</name>
    <message>
        <source>Segment %1</source>
        <translation>分段 %1</translation>
    </message>
    <message>
        <source>%1 operators</source>
        <translation>%1 个算子</translation>
    </message>
    <message>
        <source>Parameters: %1</source>
        <translation>参数：%1</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>位于 %1 之后</translation>
    </message>
    <message>
        <source>Work: %1 above, %2 below</source>
        <translation>计算量：上方 %1，下方 %2</translation>
    </message>
    <message>
        <source>Crossing: %1 forward, %2 back</source>
        <translation>传输：前向 %1，反向 %2</translation>
    </message>
    <message>
        <source>Tensors: %1</source>
        <translation>张量：%1</translation>
    </message>
    <message>
        <source>Tensors: %1, some of unknown size</source>
        <translation>张量：%1，部分大小未知</translation>
    </message>
    <message>
        <source>Cut %1 after %2: %3 of the work above, %4 below, %5 cross</source>
        <translation>切分点 %1 位于 %2 之后：上方占计算量 %3，下方 %4，传输 %5</translation>
    </message>
    <message>
        <source>Lands here</source>
        <translation>落在此处</translation>
    </message>
    <message>
        <source>1 operator</source>
        <translation>1 个算子</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::GraphCamera</name>
    <message>
        <source>The whole graph is too long to be readable here; the overview beside it shows the whole graph</source>
        <translation>图太长，无法整体阅读；旁边的概览显示全图</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::GraphView</name>
    <message>
        <source>Position %1 of %2</source>
        <translation>第 %1 个位置，共 %2 个</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::LandscapeStrip</name>
    <message>
        <source>Cost landscape</source>
        <translation>代价曲线</translation>
    </message>
    <message>
        <source>Cut after %1: beyond the next cut</source>
        <translation>在 %1 之后切分：越过了相邻的切分点</translation>
    </message>
    <message>
        <source>Cut after %1: not possible, %2</source>
        <translation>在 %1 之后切分：不可行，%2</translation>
    </message>
    <message>
        <source>Cut after %1: about %2 per step</source>
        <translation>在 %1 之后切分：每步约 %2</translation>
    </message>
    <message>
        <source>Calculating the cost of the cuts...</source>
        <translation>正在估算切分的代价……</translation>
    </message>
    <message>
        <source>No price: %1</source>
        <translation>无法估价：%1</translation>
    </message>
    <message>
        <source>Add a cut to see the step time for every position of the cut.</source>
        <translation>添加一个切分点，即可看到它在每个位置的代价。</translation>
    </message>
    <message>
        <source>Step time by position of cut %1</source>
        <translation>切分点 %1 在各位置的每步时间</translation>
    </message>
    <message>
        <source> (approximate)</source>
        <translation>（近似）</translation>
    </message>
    <message>
        <source>now %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>  ◆ best here %1</source>
        <translation>  ◆ 此处最优 %1</translation>
    </message>
    <message>
        <source>Move cut</source>
        <translation>移动切分点</translation>
    </message>
    <message>
        <source>Cut after %1: %2 per step</source>
        <translation>在 %1 之后切分：每步 %2</translation>
    </message>
    <message>
        <source> (+%1 over the best plan)</source>
        <translation>（比最优方案慢 %1）</translation>
    </message>
    <message>
        <source> (+%1 over the best so far)</source>
        <translation>（比目前找到的最优方案慢 %1）</translation>
    </message>
    <message>
        <source>Not possible: %1</source>
        <translation>不可行：%1</translation>
    </message>
    <message>
        <source>The cut stays where it was: %1</source>
        <translation>切分点留在原处：%1</translation>
    </message>
    <message>
        <source>, %1 measured</source>
        <translation>，时间的 %1 为实测</translation>
    </message>
    <message>
        <source>, unmeasured</source>
        <translation>，未经实测</translation>
    </message>
    <message>
        <source>No legal cut position beyond this one</source>
        <translation>前方没有合法位置</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::PaintBar</name>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Start segment %1 with the next stroke (N)</source>
        <translation>下一笔开始分段 %1 (N)</translation>
    </message>
    <message>
        <source>Segment %1: %2 operators, %3 of the work</source>
        <translation>分段 %1：%2 个算子，占计算量的 %3</translation>
    </message>
    <message>
        <source>Segment %1 has no operator left and will not run</source>
        <translation>分段 %1 没有剩下的算子，不会运行</translation>
    </message>
    <message>
        <source>Runs on %1</source>
        <translation>在 %1 上运行</translation>
    </message>
    <message>
        <source>New segment</source>
        <translation>新分段</translation>
    </message>
    <message>
        <source>Segment %1</source>
        <translation>分段 %1</translation>
    </message>
    <message>
        <source>Mend (moves %1)</source>
        <translation>修复（移动 %1 个）</translation>
    </message>
    <message>
        <source>Paint segment</source>
        <translation>涂色分段</translation>
    </message>
    <message>
        <source>Move as few operators as possible so that no segments wait for each other (M)</source>
        <translation>把尽可能少的算子移到其他分段，使各分段不再互相等待 (M)</translation>
    </message>
    <message>
        <source>Back to cuts</source>
        <translation>改回切分点</translation>
    </message>
    <message>
        <source>Return to cuts, and keep only cuts that no painted segment crosses</source>
        <translation>重新用切分点划分：保留没有分段跨越的切分点</translation>
    </message>
    <message>
        <source>Leave painting (Esc)</source>
        <translation>退出涂色 (Esc)</translation>
    </message>
    <message>
        <source>Segment %1: 1 operator, %2 of the work</source>
        <translation>分段 %1：1 个算子，占计算量的 %2</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::SearchBar</name>
    <message>
        <source>No operator has this name</source>
        <translation>没有同名算子</translation>
    </message>
    <message>
        <source>Found: %1</source>
        <translation>找到：%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 个，共 %2 个</translation>
    </message>
    <message>
        <source>Find an operator by name, type or output</source>
        <translation>按名称、类型或输出查找算子</translation>
    </message>
    <message>
        <source>Find an operator</source>
        <translation>查找算子</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>上一个 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>下一个 (Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::SegmentBrush</name>
    <message>
        <source>Paint segment %1</source>
        <translation>涂色分段 %1</translation>
    </message>
    <message numerus="yes">
        <source>There are %Ln segments; the next new one is %1</source>
        <translation>
            <numerusform>现有 %Ln 个分段；下一个新分段是 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Mend segments</source>
        <translation>修复分段</translation>
    </message>
    <message>
        <source>Click blocks, or drag over them, to paint them. Drag from empty space to draw a frame, with Shift to draw a lasso. Ctrl+click picks a segment. The middle button moves the graph</source>
        <translation>点击或拖过块即可涂色，从空白处拖动可框选，按住 Shift 则用套索圈选；Ctrl+点击选用一个分段，中键移动图</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::UnitView</name>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Load data</source>
        <translation>加载数据</translation>
    </message>
    <message>
        <source>Preprocess</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>The task graph appears when the task is complete and valid.</source>
        <translation>任务填写完整且正确后，这里显示任务图。</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Instance: %1</source>
        <translation>实例：%1</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>已选中</translation>
    </message>
    <message>
        <source>receives tensors over the selected link</source>
        <translation>经所选链路接收张量</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>waits for %1, %2</source>
        <translation>等待 %1，已 %2</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1，已 %2</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
</context>
<context>
    <name>divisi::model::DocumentOpener</name>
    <message>
        <source>%1 could not be opened. %2</source>
        <translation>无法打开 %1。%2</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>打开 %1</translation>
    </message>
</context>
<context>
    <name>divisi::model::GraphDocument</name>
    <message>
        <source>Move cut</source>
        <translation>移动切分点</translation>
    </message>
    <message>
        <source>Add cut</source>
        <translation>添加切分点</translation>
    </message>
    <message>
        <source>Remove cut</source>
        <translation>删除切分点</translation>
    </message>
    <message>
        <source>Remove all cuts</source>
        <translation>删除所有切分点</translation>
    </message>
    <message>
        <source>Equal FLOPs</source>
        <translation>按计算量均分</translation>
    </message>
    <message>
        <source>Back to cuts</source>
        <translation>改回切分点</translation>
    </message>
</context>
<context>
    <name>divisi::model::Painting</name>
    <message>
        <source>segments %1 wait for each other</source>
        <translation>分段 %1 互相等待</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>segment %1 sends %2 to segment %3 (%4)</source>
        <translation>分段 %1 把 %2 交给分段 %3（%4）</translation>
    </message>
    <message>
        <source>These segments wait for each other and cannot run: %1. Paint one of these operators, or those between them, into the other segment.</source>
        <translation>这些分段互相等待，无法运行：%1。请把其中一个算子或它们之间的算子涂到另一个分段。</translation>
    </message>
</context>
<context>
    <name>divisi::model::States</name>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>telemetry</source>
        <translation>遥测</translation>
    </message>
    <message>
        <source>held</source>
        <translation>已搁置</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>registration and paths</source>
        <translation>注册与路径配置</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练中</translation>
    </message>
    <message>
        <source>exception</source>
        <translation>异常处理</translation>
    </message>
    <message>
        <source>cleaning up</source>
        <translation>清理中</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>placed</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>registered</source>
        <translation>已注册</translation>
    </message>
    <message>
        <source>prepared</source>
        <translation>已就绪</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>left</source>
        <translation>已离开</translation>
    </message>
    <message>
        <source>away</source>
        <translation>暂离</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1 分钟前</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>%1 小时前</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>up</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>granted</source>
        <translation>已授予</translation>
    </message>
    <message>
        <source>active</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>finishing</source>
        <translation>收尾中</translation>
    </message>
    <message>
        <source>reclaimed</source>
        <translation>已回收</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>过期保留</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>draining</source>
        <translation>排空中</translation>
    </message>
    <message>
        <source>faulted</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>advises</source>
        <translation>提出建议</translation>
    </message>
    <message>
        <source>stands by</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>已离开</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>已切断</translation>
    </message>
    <message>
        <source>in force</source>
        <translation>生效中</translation>
    </message>
    <message>
        <source>in force, measured</source>
        <translation>生效中，已测量</translation>
    </message>
    <message>
        <source>over</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>无响应</translation>
    </message>
    <message>
        <source>held</source>
        <comment>a lease</comment>
        <translation>持有</translation>
    </message>
</context>
<context>
    <name>divisi::model::TaskCheck</name>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 不存在</translation>
    </message>
</context>
<context>
    <name>divisi::model::TaskDraft</name>
    <message>
        <source>Mark as sensitive</source>
        <translation>标记为敏感</translation>
    </message>
    <message>
        <source>Mark as not sensitive</source>
        <translation>取消敏感标记</translation>
    </message>
</context>
<context>
    <name>divisi::panels::ExceptionsView</name>
    <message>
        <source>Show only exceptions with this text</source>
        <translation>只显示含此文字的异常</translation>
    </message>
    <message>
        <source>Filter of the exceptions</source>
        <translation>异常筛选</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>from step %1</source>
        <translation>从第 %1 步起</translation>
    </message>
    <message>
        <source>from the beginning</source>
        <translation>从头开始</translation>
    </message>
    <message>
        <source>generation %1, %2</source>
        <translation>第 %1 代，%2</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>处理办法</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Steps done</source>
        <translation>已完成步数</translation>
    </message>
    <message>
        <source>Recovered</source>
        <translation>恢复次数</translation>
    </message>
    <message>
        <source>Exception %1 is closed.</source>
        <translation>异常 %1 已关闭。</translation>
    </message>
    <message>
        <source>Your role is read-only. Operators and admins handle exceptions.</source>
        <translation>您的角色只能查看。异常由操作员或管理员处理。</translation>
    </message>
    <message>
        <source>No exceptions. A task that fails for good is listed here until it is retried or dropped.</source>
        <translation>没有异常。彻底失败的任务会列在这里，直到重试或移除。</translation>
    </message>
    <message>
        <source>%1 failed for good</source>
        <translation>彻底失败：%1</translation>
    </message>
    <message>
        <source>Choose an exception in the table first</source>
        <translation>请先在表中选择一个异常</translation>
    </message>
    <message>
        <source>Submit the failed task again unchanged, with the files that are already on the nodes</source>
        <translation>按原样再次提交其任务，使用节点上已有的文件</translation>
    </message>
    <message>
        <source>Remove the exception from the list as handled</source>
        <translation>作为已处理从列表中移除</translation>
    </message>
    <message>
        <source>The cluster has no text of this task.</source>
        <translation>集群没有该任务的文本。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Edit and resubmit…</source>
        <translation>编辑并重新提交…</translation>
    </message>
    <message>
        <source>Drop</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Exceptions</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>Fields of the selected exception</source>
        <translation>所选异常的字段</translation>
    </message>
    <message>
        <source>The log around the selected exception</source>
        <translation>所选异常前后的日志</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败时间</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Open the failed task in the form; Run then submits it and closes the exception</source>
        <translation>在表单中打开其任务；运行时从此处提交，并关闭该异常</translation>
    </message>
</context>
<context>
    <name>divisi::panels::Inspector</name>
    <message>
        <source>Details of the selection</source>
        <translation>选中项的详细信息</translation>
    </message>
    <message>
        <source>Select an operator or a scope to see what it does and costs.</source>
        <translation>选择算子或作用域以查看其作用与代价。</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Legal cuts</source>
        <translation>合法切分位置</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>some sizes are unknown and not counted</source>
        <translation>部分大小未知，未计入</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>分段</translation>
    </message>
    <message>
        <source>Share of work</source>
        <translation>计算量占比</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Attributes</source>
        <translation>属性</translation>
    </message>
</context>
<context>
    <name>divisi::panels::LeaseTable</name>
    <message>
        <source>Its node has not reported yet; figures are recorded every minute.</source>
        <translation>节点尚未上报；数值每分钟记录一次。</translation>
    </message>
    <message>
        <source>As measured at %1</source>
        <translation>测量于 %1</translation>
    </message>
    <message>
        <source>Maximum so far</source>
        <translation>目前的最大值</translation>
    </message>
    <message>
        <source>%1, threads: %2</source>
        <translation>%1，线程：%2</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Submitter</source>
        <translation>提交者</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>自</translation>
    </message>
    <message>
        <source>CPU so far</source>
        <translation>已用 CPU</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
    <message>
        <source>Activated at %1 by the first data that carried the lease, added by %2</source>
        <translation>于 %1 由首批数据激活，租约由 %2 写入其中</translation>
    </message>
    <message>
        <source>Activated at %1 by the orchestrator</source>
        <translation>于 %1 由编排器激活</translation>
    </message>
    <message>
        <source>Taken over: the current task is number %1 to hold this lease</source>
        <translation>已接管：依次持有该租约的第 %1 个任务</translation>
    </message>
</context>
<context>
    <name>divisi::panels::LedgerView</name>
    <message>
        <source>%1 of %2 leases</source>
        <translation>%2 个租约中的 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 receipts</source>
        <translation>%2 张收据中的 %1 张</translation>
    </message>
    <message>
        <source>No lease has this text.</source>
        <translation>没有租约含有此文字。</translation>
    </message>
    <message>
        <source>No receipt has this text.</source>
        <translation>没有收据含有此文字。</translation>
    </message>
    <message>
        <source>No lease is held. Each instance of a running task holds one.</source>
        <translation>当前没有租约。运行中任务的每个实例持有一个。</translation>
    </message>
    <message>
        <source>Asking for receipts…</source>
        <translation>正在获取收据…</translation>
    </message>
    <message>
        <source>There is no receipt yet. One is written when a node reclaims an instance&apos;s place.</source>
        <translation>还没有收据。节点收回实例的位置时会写下一张。</translation>
    </message>
    <message>
        <source>Export receipts</source>
        <translation>导出收据</translation>
    </message>
    <message>
        <source>Receipts (*.csv)</source>
        <translation>收据 (*.csv)</translation>
    </message>
    <message numerus="yes">
        <source>%Ln receipts written to %1</source>
        <translation>
            <numerusform>已将 %Ln 张收据写入 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 receipts written to %3; verify a partial export with &apos;divisictl receipts verify --part&apos;</source>
        <translation>已将 %2 张收据中的 %1 张写入 %3；请用“divisictl receipts verify --part”核验这样的部分</translation>
    </message>
    <message>
        <source>Verify an export of receipts</source>
        <translation>核验导出的收据</translation>
    </message>
    <message>
        <source>Receipts (*.csv);;All files (*)</source>
        <translation>收据 (*.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Verifying: %1 of %2 receipts</source>
        <translation>正在核验：%1 / %2 张收据</translation>
    </message>
    <message>
        <source>the file contains no receipts</source>
        <translation>其中没有收据</translation>
    </message>
    <message numerus="yes">
        <source>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; %2 earlier ones are missing</source>
        <translation>
            <numerusform>%Ln 张收据，最后一张编号 %1：均由本集群的密钥签名且未被更改；此前缺少 %2 张</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; no earlier one is missing</source>
        <translation>
            <numerusform>%Ln 张收据，最后一张编号 %1：均由本集群的密钥签名，未被更改，且此前没有缺失</numerusform>
        </translation>
    </message>
    <message>
        <source>Leases</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Places on nodes that instances hold now</source>
        <translation>实例当前在节点上占有的位置</translation>
    </message>
    <message>
        <source>Receipts</source>
        <translation>收据</translation>
    </message>
    <message>
        <source>What each lease consumed, signed when it was reclaimed</source>
        <translation>每个租约的消耗，回收时签名</translation>
    </message>
    <message>
        <source>Totals</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Totals of the shown receipts by submitter and task</source>
        <translation>所显示收据按提交者和任务的合计</translation>
    </message>
    <message>
        <source>Show only leases and receipts whose task, node or submitter contains this text</source>
        <translation>只显示含此文字的任务、节点和提交者</translation>
    </message>
    <message>
        <source>Filter of leases and receipts</source>
        <translation>租约与收据的筛选</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>导出 CSV…</translation>
    </message>
    <message>
        <source>Export the shown receipts, each with its signature</source>
        <translation>导出所显示的收据，每张附签名</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>核验</translation>
    </message>
    <message>
        <source>Held leases</source>
        <translation>当前持有的租约</translation>
    </message>
    <message>
        <source>Fields of the selected receipt</source>
        <translation>所选收据的字段</translation>
    </message>
    <message>
        <source>Verify all receipts of this cluster with its key; the arrow verifies a file</source>
        <translation>用本集群的密钥核验其所有收据；箭头：核验文件中的收据</translation>
    </message>
    <message>
        <source>Verify an export…</source>
        <translation>核验导出文件…</translation>
    </message>
</context>
<context>
    <name>divisi::panels::TotalsTree</name>
    <message>
        <source>Consumption by submitter and task</source>
        <translation>按提交者和任务列出的消耗</translation>
    </message>
    <message>
        <source>Submitter, task</source>
        <translation>提交者、任务</translation>
    </message>
    <message>
        <source>Receipts</source>
        <translation>收据</translation>
    </message>
    <message>
        <source>Presumed</source>
        <translation>推定</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
</context>
<context>
    <name>divisi::panels::LogsPanel</name>
    <message>
        <source>Show only lines with this text</source>
        <translation>只显示含有此文字的行</translation>
    </message>
    <message>
        <source>Filter of the log</source>
        <translation>日志过滤</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Log of the cluster</source>
        <translation>集群日志</translation>
    </message>
    <message>
        <source>Any time</source>
        <translation>任意时间</translation>
    </message>
    <message>
        <source>Last 10 min</source>
        <translation>最近 10 分钟</translation>
    </message>
    <message>
        <source>Last hour</source>
        <translation>最近 1 小时</translation>
    </message>
    <message>
        <source>Last day</source>
        <translation>最近 1 天</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>所有级别</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>信息及以上</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Only events are shown: %1</source>
        <translation>只显示事件：%1</translation>
    </message>
    <message>
        <source>Asking the cluster…</source>
        <translation>正在询问集群…</translation>
    </message>
    <message>
        <source>No log line matches. Clear a filter or choose a longer time.</source>
        <translation>日志中没有符合的内容。请清除一个筛选条件，或选择更长的时间。</translation>
    </message>
    <message>
        <source>No log lines yet.</source>
        <translation>尚无日志。</translation>
    </message>
    <message>
        <source>The line limit is reached; narrow the filters to see older lines</source>
        <translation>显示的行已达上限；请收紧筛选条件以查看更早的行</translation>
    </message>
    <message>
        <source>Load lines older than the oldest one shown</source>
        <translation>加载比所显示最早一行更早的日志</translation>
    </message>
    <message>
        <source>There are no older lines</source>
        <translation>没有更早的日志</translation>
    </message>
    <message>
        <source>Only this task, such as gpt-1</source>
        <translation>只显示此任务的日志，例如 gpt-1</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Only this unit, such as gpt-1/stage-1, gpt-1/stage-1/0 or gpt-1/stage-1/0#2</source>
        <translation>只显示此单元的日志：gpt-1/stage-1、gpt-1/stage-1/0 或 gpt-1/stage-1/0#2</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Only this node, such as mic-1/node-1</source>
        <translation>只显示此节点的日志，例如 mic-1/node-1</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Events only</source>
        <translation>只看事件</translation>
    </message>
    <message>
        <source>Hide the output of processes</source>
        <translation>隐藏进程的输出</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>更早</translation>
    </message>
</context>
<context>
    <name>divisi::panels::PlansPanel</name>
    <message>
        <source>On screen</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>Plan %1</source>
        <translation>方案 %1</translation>
    </message>
    <message>
        <source>Restore plan</source>
        <translation>恢复方案</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>Keep plan</source>
        <translation>保留方案</translation>
    </message>
    <message>
        <source>Keep the plan on screen to compare other plans with it</source>
        <translation>保留当前方案，以便与其他方案比较</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Forget the kept plans</source>
        <translation>清除保留的方案</translation>
    </message>
    <message>
        <source>Double click a plan to restore its cuts</source>
        <translation>双击方案可恢复其切分点</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>最慢阶段</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Plans side by side</source>
        <translation>方案对比</translation>
    </message>
    <message>
        <source>painted</source>
        <translation>涂色</translation>
    </message>
    <message>
        <source>Best found</source>
        <translation>已找到的最优</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Predicted and measured</source>
        <translation>预测与实测</translation>
    </message>
    <message>
        <source>Reference for the comparison</source>
        <translation>对比的基准</translation>
    </message>
    <message>
        <source>To best</source>
        <translation>与最优相比</translation>
    </message>
    <message>
        <source>To screen</source>
        <translation>与当前相比</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Cuts after</source>
        <translation>切分于其后</translation>
    </message>
    <message>
        <source>Difference in step time to the fastest plan found with the same number of stages</source>
        <translation>其每步时间比已找到的同阶段数最快方案长多少</translation>
    </message>
    <message>
        <source>Difference in step time to the plan on screen</source>
        <translation>其每步时间比当前方案长多少</translation>
    </message>
    <message>
        <source>Compute time of the slowest stage in one step</source>
        <translation>最慢阶段每步的计算时间</translation>
    </message>
    <message>
        <source>Average share of a step in which stages wait (bubble)</source>
        <translation>各阶段每步等待（气泡）的平均占比</translation>
    </message>
    <message>
        <source>Highest memory of any stage</source>
        <translation>内存需求最大的阶段</translation>
    </message>
    <message>
        <source>Sent between stages in a step</source>
        <translation>每步所有阶段之间的传输量</translation>
    </message>
    <message>
        <source>Restore its cuts</source>
        <translation>恢复其切分点</translation>
    </message>
</context>
<context>
    <name>divisi::panels::ModulesView</name>
    <message>
        <source>Show only rows with this text</source>
        <translation>只显示含此文字的行</translation>
    </message>
    <message>
        <source>Filter of modules, advice and tasks</source>
        <translation>模块、建议和任务的筛选</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Every task</source>
        <translation>所有任务</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>off for every task</source>
        <translation>对所有任务关闭</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>every task</source>
        <translation>所有任务</translation>
    </message>
    <message>
        <source>%1 is off for every task; first switch it on in the row of every task</source>
        <translation>%1 已对所有任务关闭；请先在那一行开启</translation>
    </message>
    <message>
        <source>Space or a click: %1 no longer advises about %2</source>
        <translation>按空格键或点击：%1 不再就%2提出建议</translation>
    </message>
    <message>
        <source>Space or a click: %1 advises about %2 again</source>
        <translation>按空格键或点击：%1 重新就%2提出建议</translation>
    </message>
    <message>
        <source>Your role is read-only. Operators and admins change modules.</source>
        <translation>您的角色只能查看。操作员或管理员可以更改模块。</translation>
    </message>
    <message>
        <source>No module advises. Start one above: link-trend moves tensors off a path that degrades, compute-routing weighs paths and nodes by their load.</source>
        <translation>没有模块提出建议。可在上方启动：link-trend 把张量移离变差的路径，compute-routing 按负载权衡路径和节点。</translation>
    </message>
    <message>
        <source>No module advises. Add one as [[module]] to the cluster file, or run its program with --connect and the cluster&apos;s connection file.</source>
        <translation>没有模块提出建议。请在集群文件中以 [[module]] 写入，或用 --connect 和集群的连接文件运行其程序。</translation>
    </message>
    <message>
        <source>Asking for modules…</source>
        <translation>正在查询模块…</translation>
    </message>
    <message>
        <source>No advice yet. A module gives advice when it sees a reason in the running tasks that it observes.</source>
        <translation>还没有模块提出建议。模块在观测运行中的任务时，有理由才会提出建议。</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Choose a module in the table first</source>
        <translation>请先在表中选择一个模块</translation>
    </message>
    <message>
        <source>Run a module for this cluster, also after a restart of the cluster</source>
        <translation>在此集群旁运行一个模块，重启后也会运行</translation>
    </message>
    <message>
        <source>The console starts modules only for an embedded cluster. Add the module as [[module]] to the cluster file, or run its program with --connect.</source>
        <translation>只能在内嵌集群旁启动模块。请在集群文件中以 [[module]] 写入，或用 --connect 运行其程序。</translation>
    </message>
    <message>
        <source>Stop the module and do not start it again</source>
        <translation>结束它，并且不再启动</translation>
    </message>
    <message>
        <source>Only a standby version can take over</source>
        <translation>只有待命的版本才能接替</translation>
    </message>
    <message>
        <source>Let this version advise, and put the current version on standby</source>
        <translation>让此版本提出建议；当前版本转为待命</translation>
    </message>
    <message>
        <source>Ignore the module&apos;s advice and withdraw advice that is in force; the page Tasks does this for a single task</source>
        <translation>不再采纳其建议，并撤回仍有效的建议；“任务”页可只对单个任务开关</translation>
    </message>
    <message>
        <source>Accept the module&apos;s advice again</source>
        <translation>重新采纳其建议</translation>
    </message>
    <message>
        <source>Another program…</source>
        <translation>其他程序…</translation>
    </message>
    <message>
        <source>The program of a functional module</source>
        <translation>功能模块的程序</translation>
    </message>
    <message>
        <source>%1 was started.</source>
        <translation>%1 已启动。</translation>
    </message>
    <message>
        <source>Starting %1…</source>
        <translation>正在启动 %1…</translation>
    </message>
    <message>
        <source>%1 was stopped.</source>
        <translation>%1 已停止。</translation>
    </message>
    <message>
        <source>%1 %2 was stopped.</source>
        <translation>%1 %2 已停止。</translation>
    </message>
    <message>
        <source>%1 %2 advises now.</source>
        <translation>现由 %1 %2 提出建议。</translation>
    </message>
    <message>
        <source>%1 is on for %2.</source>
        <translation>%1 已对%2开启。</translation>
    </message>
    <message>
        <source>%1 is off for %2.</source>
        <translation>%1 已对%2关闭。</translation>
    </message>
    <message>
        <source>Advises about</source>
        <translation>就以下任务提出建议</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Functional modules and their state</source>
        <translation>功能模块及其状态</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Recent advice and its outcome</source>
        <translation>近期的建议及其结果</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Modules switched on, by task</source>
        <translation>按任务列出已开启的模块</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Functional modules</source>
        <translation>功能模块</translation>
    </message>
    <message>
        <source>Advice of functional modules</source>
        <translation>功能模块的建议</translation>
    </message>
    <message>
        <source>Switches of functional modules by task</source>
        <translation>按任务列出的功能模块开关</translation>
    </message>
    <message>
        <source>Fields of the selected module or advice</source>
        <translation>所选模块或建议的字段</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>采纳</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>Response time</source>
        <translation>应答用时</translation>
    </message>
    <message>
        <source>Last heard</source>
        <translation>上次消息</translation>
    </message>
    <message>
        <source>Newest advice</source>
        <translation>最新建议</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>有效期</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>提出时间</translation>
    </message>
</context>
<context>
    <name>divisi::panels::ModuleText</name>
    <message>
        <source>services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>paths</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>load of nodes and instances</source>
        <translation>节点和实例的负载</translation>
    </message>
    <message>
        <source>quality of links and flows</source>
        <translation>链路和流的质量</translation>
    </message>
    <message>
        <source>topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>%1: %2 → %3 a step (%4)</source>
        <translation>%1：每步 %2 → %3（%4）</translation>
    </message>
    <message>
        <source>every %1</source>
        <translation>每 %1</translation>
    </message>
    <message>
        <source>%1, and before each placement, which waits up to 10 ms for the answer (synchronous)</source>
        <translation>%1，并在每次放置前（等待 10 ms，同步）</translation>
    </message>
    <message>
        <source>%1 (asynchronous)</source>
        <translation>%1（异步）</translation>
    </message>
    <message>
        <source>share of the first path</source>
        <translation>第一条路径的份额</translation>
    </message>
    <message>
        <source>avoid a node</source>
        <translation>避开节点</translation>
    </message>
    <message>
        <source>window of a flow</source>
        <translation>流的窗口</translation>
    </message>
    <message>
        <source>drain a node</source>
        <translation>排空节点</translation>
    </message>
    <message>
        <source>all flows</source>
        <translation>所有流</translation>
    </message>
    <message>
        <source>for %1 more</source>
        <translation>还有 %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>询问</translation>
    </message>
    <message>
        <source>Response time</source>
        <translation>应答用时</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>错过</translation>
    </message>
    <message numerus="yes">
        <source>%Ln placements</source>
        <translation>
            <numerusform>%Ln 次放置</numerusform>
        </translation>
    </message>
    <message>
        <source>Last heard</source>
        <translation>上次消息</translation>
    </message>
    <message>
        <source>Observes</source>
        <translation>观测</translation>
    </message>
    <message>
        <source>Advises</source>
        <translation>建议种类</translation>
    </message>
    <message>
        <source>Switched off for</source>
        <translation>已关闭的任务</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>%1 given, %2 taken, %3 refused, %4 expired</source>
        <translation>提出 %1，采纳 %2，拒绝 %3，到期 %4</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>有效期</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>效果</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>提出时间</translation>
    </message>
    <message>
        <source>%1 (%2), given %3 times</source>
        <translation>%1（%2），原样提出 %3 次</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>divisi::panels::PoliciesView</name>
    <message>
        <source>Show only rows with this text</source>
        <translation>只显示含此文字的行</translation>
    </message>
    <message>
        <source>Filter of the policies</source>
        <translation>策略筛选</translation>
    </message>
    <message>
        <source>Policy version %1 is in force.</source>
        <translation>策略版本 %1 已生效。</translation>
    </message>
    <message>
        <source>Tried, not applied: %1</source>
        <translation>已试算，未应用：%1</translation>
    </message>
    <message>
        <source>in force</source>
        <translation>生效中</translation>
    </message>
    <message>
        <source>version %1: %2</source>
        <translation>版本 %1：%2</translation>
    </message>
    <message>
        <source>version %1</source>
        <translation>版本 %1</translation>
    </message>
    <message>
        <source>within one MIC</source>
        <translation>在同一 MIC 内</translation>
    </message>
    <message>
        <source>%1 (was %2)</source>
        <translation>%1（原为 %2）</translation>
    </message>
    <message>
        <source>Asking for the policy…</source>
        <translation>正在获取策略…</translation>
    </message>
    <message>
        <source>Nothing has been tried yet. Enter a change above and press Try: the simulator runs every running task with it and applies nothing.</source>
        <translation>尚未试算。在上方写下更改并按“试算”：模拟器会对每个运行中的任务推演，不应用任何内容。</translation>
    </message>
    <message>
        <source>No task is running, so the change would have no effect now.</source>
        <translation>没有任务在运行，因此该更改现在不会有任何影响。</translation>
    </message>
    <message>
        <source>No gateway has sent data to another gateway yet, so their paths are unknown.</source>
        <translation>两个网关之间尚无流量，因此对其路径一无所知。</translation>
    </message>
    <message>
        <source>This cluster has no gateways or routers to set a policy on.</source>
        <translation>该集群没有可设置策略的网关和路由器。</translation>
    </message>
    <message>
        <source>Roll back to %1</source>
        <translation>回滚到 %1</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>回滚</translation>
    </message>
    <message>
        <source>Your role is read-only. Operators and admins change policies.</source>
        <translation>您的角色只能查看。策略由操作员或管理员更改。</translation>
    </message>
    <message>
        <source>Simulate the change for every running task; nothing is applied</source>
        <translation>用模拟器对每个运行中的任务推演该更改；不应用任何内容</translation>
    </message>
    <message>
        <source>Make the change a new version, and send it to all gateways and routers at once</source>
        <translation>设为新版本，并立即告知所有网关和路由器</translation>
    </message>
    <message>
        <source>Make a new policy version with the entries of the selected version, or of the previous one</source>
        <translation>将所选版本（或上一版本）的条目设为新版本</translation>
    </message>
    <message>
        <source>Percent of the tensors that take the first path: share=100 or share:mg-1:mg-2=40. Bytes promised to a flow: window=16MiB. Whether the orchestrator adjusts shares itself: adapt=off. KEY=default resets a setting.</source>
        <translation>走第一条路径的张量百分比：share=100 或 share:mg-1:mg-2=40。承诺给流的字节数：window=16MiB。编排器是否自行调整份额：adapt=off。KEY=default 将设置恢复为默认值。</translation>
    </message>
    <message>
        <source>Trying it with every running task…</source>
        <translation>正在对每个运行中的任务试算…</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Paths</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>State of the two paths between each pair of gateways</source>
        <translation>每两个网关之间两条路径的状态</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>试算</translation>
    </message>
    <message>
        <source>Predicted effect of a change on running tasks</source>
        <translation>更改对运行中任务的预测影响</translation>
    </message>
    <message>
        <source>A change, such as share:mg-1:mg-2=40 window=16MiB</source>
        <translation>更改，例如 share:mg-1:mg-2=40 window=16MiB</translation>
    </message>
    <message>
        <source>Change of the policy</source>
        <translation>策略的更改</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>试算</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Versions of the policy</source>
        <translation>策略的版本</translation>
    </message>
    <message>
        <source>Gateways and routers, and the policy that each uses</source>
        <translation>网关和路由器及其所遵循的策略</translation>
    </message>
    <message>
        <source>Paths between gateways</source>
        <translation>网关之间的路径</translation>
    </message>
    <message>
        <source>Predicted step times</source>
        <translation>预测的单步时间</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>作者</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Uses version</source>
        <translation>遵循</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Share of first</source>
        <translation>经第一条</translation>
    </message>
    <message>
        <source>First path</source>
        <translation>第一条路径</translation>
    </message>
    <message>
        <source>Second path</source>
        <translation>第二条路径</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>With change</source>
        <translation>更改后</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>none: devices use their defaults</source>
        <translation>无：设备按其默认值运行</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>No policy is set yet: gateways and routers use their defaults.</source>
        <translation>尚未设置任何策略：网关和路由器按其默认值运行。</translation>
    </message>
    <message>
        <source>What was set, when and by whom</source>
        <translation>设置了什么、何时、由谁设置</translation>
    </message>
    <message>
        <source>Version that each gateway and router uses, and what it refused</source>
        <translation>每个网关和路由器遵循哪个版本，以及拒绝了什么</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>version %1, %2</source>
        <translation>版本 %1，%2</translation>
    </message>
    <message>
        <source>Set by</source>
        <translation>设定者</translation>
    </message>
</context>
<context>
    <name>divisi::panels::ReceiptTable</name>
    <message>
        <source>The node of the lease never confirmed the reclaim</source>
        <translation>节点从未确认已收回位置</translation>
    </message>
    <message>
        <source>Confirmed by the node of the lease</source>
        <translation>节点已确认</translation>
    </message>
    <message>
        <source>presumed</source>
        <translation>推定</translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>收据</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Submitter</source>
        <translation>提交者</translation>
    </message>
    <message>
        <source>Reclaimed</source>
        <translation>回收时间</translation>
    </message>
    <message>
        <source>How</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
</context>
<context>
    <name>divisi::panels::RunTable</name>
    <message>
        <source>No prediction for %1: %2</source>
        <translation>无法预测 %1：%2</translation>
    </message>
    <message>
        <source>Predicting the plan of %1...</source>
        <translation>正在预测 %1 的方案……</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · step, predicted → measured: &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; · 每步，预测 → 实测：&lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Computes</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Sends a step</source>
        <translation>每步发送</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Compute time in a step: predicted → measured, and the error</source>
        <translation>每步的计算时间：预测 → 实测，及误差</translation>
    </message>
    <message>
        <source>Waiting time in a step (bubble); the error is a share of the whole step</source>
        <translation>每步的等待时间（气泡）；误差为占整步时间的比例</translation>
    </message>
    <message>
        <source>Bytes sent to other stages; measured values include evaluations</source>
        <translation>发往其他阶段；实测值包含验证时的传输</translation>
    </message>
    <message>
        <source>Parameters, gradients, optimizer state and activations at their peak</source>
        <translation>参数、梯度、优化器状态与激活值的峰值</translation>
    </message>
    <message>
        <source>Predicted and measured, stage by stage</source>
        <translation>各阶段的预测与实测</translation>
    </message>
    <message>
        <source>A task&apos;s plan appears here, predicted and measured.</source>
        <translation>这里显示任务方案的预测值与实测值。</translation>
    </message>
    <message>
        <source>Choose the task in Tasks.</source>
        <translation>请在“任务”中选择任务。</translation>
    </message>
</context>
<context>
    <name>divisi::panels::SplitPanel</name>
    <message>
        <source>Open a model to see its segments.</source>
        <translation>打开模型以查看其分段。</translation>
    </message>
    <message>
        <source>This model has no legal cut position.</source>
        <translation>此模型没有合法的切分位置。</translation>
    </message>
    <message>
        <source>One segment: the whole model. Add a cut to split it.</source>
        <translation>一个分段：整个模型。添加切分点即可切分。</translation>
    </message>
    <message>
        <source>%1 segments; the heaviest does %2 of the work, an even share is %3.</source>
        <translation>共 %1 个分段；最重的占计算量的 %2，均分为 %3。</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Number of stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Equal FLOPs</source>
        <translation>按计算量均分</translation>
    </message>
    <message>
        <source>Cut into this many segments, with work as equal as legal positions allow</source>
        <translation>切成这么多分段，计算量尽可能相等</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>计算量</translation>
    </message>
    <message>
        <source>Crossing</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Cut after</source>
        <translation>切分于其后</translation>
    </message>
    <message>
        <source>Segments and the cuts between them</source>
        <translation>分段及其间的切分点</translation>
    </message>
    <message numerus="yes">
        <source>%Ln operators, weights %1</source>
        <translation>
            <numerusform>%Ln 个算子，权重 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 on %3</source>
        <translation>%1 / %2，位于 %3</translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>位于 %1</translation>
    </message>
    <message>
        <source>No price: %1</source>
        <translation>无法估价：%1</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; a step</source>
        <translation>每步 &lt;b&gt;%1&lt;/b&gt;</translation>
    </message>
    <message numerus="yes">
        <source>, the best plan found with %Ln stages</source>
        <translation>
            <numerusform>，为已找到的 %Ln 阶段最优方案</numerusform>
        </translation>
    </message>
    <message>
        <source>, %1 above the best found (%2)</source>
        <translation>，比已找到的最优方案（%2）慢 %1</translation>
    </message>
    <message>
        <source>; measured operators</source>
        <translation>；算子均为实测</translation>
    </message>
    <message>
        <source>; %1 measured</source>
        <translation>；时间的 %1 为实测</translation>
    </message>
    <message>
        <source>; unmeasured operators</source>
        <translation>；算子未经实测</translation>
    </message>
    <message>
        <source>, measured links</source>
        <translation>，链路为实测</translation>
    </message>
    <message>
        <source>, links from the cluster file</source>
        <translation>，链路取自集群文件</translation>
    </message>
    <message>
        <source>, default links</source>
        <translation>，链路为默认值</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Predicted compute time in one step</source>
        <translation>预测的每步计算时间</translation>
    </message>
    <message>
        <source>The node that runs the segment</source>
        <translation>运行该分段的节点</translation>
    </message>
    <message>
        <source>The operator that the cut follows (in the drafts: segmentation point)</source>
        <translation>切分点之前的算子（草案术语：segmentation point）</translation>
    </message>
    <message>
        <source>Number of the segment, a group of operators that run as one (in the drafts: micro-model)</source>
        <translation>分段的编号；分段是作为一个整体运行的一组算子（草案术语：micro-model）</translation>
    </message>
    <message>
        <source>Predicted share of a step spent waiting (bubble)</source>
        <translation>预测的每步等待占比（气泡）</translation>
    </message>
    <message>
        <source>Predicted peak of memory use; the tooltip of a cell names the device</source>
        <translation>预测的峰值；提示中注明设备</translation>
    </message>
    <message>
        <source>Optimize</source>
        <translation>优化</translation>
    </message>
    <message>
        <source>Move the cuts to the fastest plan found with this many stages; one undo step</source>
        <translation>将切分点移到已找到的同阶段数最快方案；可一步撤销</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Runs as stage %1 on %2</source>
        <translation>作为阶段 %1 运行于 %2</translation>
    </message>
    <message>
        <source>, the best found so far</source>
        <translation>，为目前找到的最优</translation>
    </message>
    <message>
        <source>, %1 below the best found (%2)</source>
        <translation>，比已找到的最优方案（%2）快 %1</translation>
    </message>
    <message>
        <source>, %1 above the best found so far (%2)</source>
        <translation>，比目前找到的最优方案（%2）慢 %1</translation>
    </message>
    <message>
        <source>Share of the price that comes from operators measured on this type of device; the rest is estimated from FLOPs, bytes and the rates of the device. &quot;Measure operators&quot; in the Task menu measures the operators, or says why this machine cannot.</source>
        <translation>估价中有多少来自在此类设备上实测的算子；其余按 FLOPs 与字节数除以设备速率估算。“任务”菜单中的“实测算子”可进行实测，或说明本机为何不能。</translation>
    </message>
</context>
<context>
    <name>divisi::panels::TaskForm</name>
    <message>
        <source>All fields</source>
        <translation>所有字段</translation>
    </message>
    <message>
        <source>Fewer fields</source>
        <translation>较少字段</translation>
    </message>
    <message>
        <source>%1 must be a whole number</source>
        <translation>%1 必须是整数</translation>
    </message>
    <message>
        <source>must be a number, such as 0.001</source>
        <translation>必须是数字，例如 0.001</translation>
    </message>
    <message>
        <source>must be a whole number</source>
        <translation>必须是整数</translation>
    </message>
    <message>
        <source>Ready. Cuts: %1</source>
        <translation>就绪。切分点：%1</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx)</source>
        <translation>ONNX 模型 (*.onnx)</translation>
    </message>
    <message>
        <source>ONNX file</source>
        <translation>ONNX 文件</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Save...</source>
        <translation>保存...</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>File or folder</source>
        <translation>文件或文件夹</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>IDX file of labels; empty for folders of PNG files</source>
        <translation>标签的 IDX 文件；PNG 文件夹则留空</translation>
    </message>
    <message>
        <source>Target columns</source>
        <translation>目标列</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>Validation file</source>
        <translation>验证文件</translation>
    </message>
    <message>
        <source>Empty: a share of the training data, or none</source>
        <translation>留空：取训练数据的一部分，或不验证</translation>
    </message>
    <message>
        <source>Validation share</source>
        <translation>验证比例</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>sgd follows the gradient, adamw adapts to each weight</source>
        <translation>sgd 沿梯度下降，adamw 逐权重自适应</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>微批数</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Rate schedule</source>
        <translation>学习率策略</translation>
    </message>
    <message>
        <source>Warm-up steps</source>
        <translation>预热步数</translation>
    </message>
    <message>
        <source>Decay steps</source>
        <translation>衰减步数</translation>
    </message>
    <message>
        <source>Decay rate</source>
        <translation>衰减率</translation>
    </message>
    <message>
        <source>Gradient clip</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>验证间隔</translation>
    </message>
    <message>
        <source>Validation batches</source>
        <translation>验证批数</translation>
    </message>
    <message>
        <source>Recompute activations</source>
        <translation>重算激活值</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>When a process or machine fails</source>
        <translation>进程或机器出现故障时</translation>
    </message>
    <message>
        <source>recover: the task resumes from its last checkpoint. wait: it also resumes, but waits for its own nodes. fail: the task ends</source>
        <translation>recover：回到最近的检查点并从该处继续。wait：同样如此，但等待原来的节点恢复。fail：任务结束</translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>A number of steps, a time (30s, 5min, 2h), auto or never</source>
        <translation>步数、时间（30s、5min、2h）、auto 或 never</translation>
    </message>
    <message>
        <source>Checkpoints kept</source>
        <translation>保留的检查点数</translation>
    </message>
    <message>
        <source>Standbys</source>
        <translation>待命进程</translation>
    </message>
    <message>
        <source>Loss is not a number</source>
        <translation>损失不是数值时</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>切分</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Running needs a cluster; there is no connection.</source>
        <translation>运行需要集群；目前没有连接。</translation>
    </message>
    <message>
        <source>Open sizes</source>
        <translation>未定大小</translation>
    </message>
    <message>
        <source>Sizes that the file leaves open, as name=4, separated by commas</source>
        <translation>文件中未定的大小，形如 name=4，以逗号分隔</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Data column of each input of the model, as input=column, separated by commas</source>
        <translation>各输入的数据列，形如 input=column，以逗号分隔</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>The output that the loss reads; empty: the first</source>
        <translation>损失读取的输出；留空为第一个</translation>
    </message>
    <message>
        <source>Frozen weights</source>
        <translation>冻结的权重</translation>
    </message>
    <message>
        <source>Names of weights to freeze, or prefixes ending in *</source>
        <translation>要冻结的权重名称，或以 * 结尾的前缀</translation>
    </message>
    <message>
        <source>must be pairs such as name=value, separated by commas</source>
        <translation>必须是 name=value 形式，以逗号分隔</translation>
    </message>
    <message>
        <source>Ready. Painted segments: %1</source>
        <translation>就绪。涂色分段：%1</translation>
    </message>
    <message>
        <source>Edit %1</source>
        <translation>修改%1</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>unclosed quote</source>
        <translation>引号没有成对</translation>
    </message>
    <message>
        <source>No model is open. Choose one above or open one: its graph shows what the task would run.</source>
        <translation>没有打开模型。请在上方选择或打开一个模型：图中会显示将要运行的内容。</translation>
    </message>
    <message>
        <source>The model of this task is not on screen yet.</source>
        <translation>此任务的模型还没有显示。</translation>
    </message>
    <message>
        <source>Ready. Split as the task file says.</source>
        <translation>就绪。按任务文件的要求切分。</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>任务类型</translation>
    </message>
    <message>
        <source>train: trains a model. batch: runs a trained model on each sample of a data set once and writes its predictions to a file</source>
        <translation>train：训练。batch：用训练好的模型处理数据集，每个样本一次，并把对每个样本的结果写入文件</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Where results are saved by default; empty: NAME-results.csv beside the task file</source>
        <translation>结果默认保存的位置；留空则为任务文件旁的 NAME-results.csv</translation>
    </message>
    <message>
        <source>For each sample</source>
        <translation>每个样本</translation>
    </message>
    <message>
        <source>outputs: also writes all values of the model&apos;s output</source>
        <translation>outputs：另外写出模型输出的全部数值</translation>
    </message>
    <message>
        <source>The data have labels</source>
        <translation>数据带标签</translation>
    </message>
    <message>
        <source>The results also contain the target and the loss of each sample</source>
        <translation>除预测外，结果还包含目标和损失</translation>
    </message>
    <message>
        <source>Reuse loaded processes</source>
        <translation>沿用已加载的进程</translation>
    </message>
    <message>
        <source>If the previous batch had the same model and cuts, its processes also run this batch; the results are the same</source>
        <translation>若您之前的批量任务具有相同的模型和切分，其进程将继续执行本任务；结果不变</translation>
    </message>
    <message>
        <source>Choose what the task does</source>
        <translation>选择任务类型</translation>
    </message>
    <message>
        <source>Start from version</source>
        <translation>起始版本</translation>
    </message>
    <message>
        <source>Version whose weights the training starts from: its number or the beginning of its hash; empty: the model&apos;s initial weights</source>
        <translation>以哪个版本的权重开始：版本号或其哈希的开头；留空则用模型的初始权重</translation>
    </message>
    <message>
        <source>Up to 64 letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;</source>
        <translation>最多 64 个字母、数字、“-”、“_”和“.”</translation>
    </message>
    <message>
        <source>The model file, from torch.onnx.export or another exporter; node:/path is on a node</source>
        <translation>由 torch.onnx.export 或其他导出程序生成的模型文件；node:/路径 位于节点上</translation>
    </message>
    <message>
        <source>text: bytes of a file. images: with labels. csv: a table. synthetic: generated samples</source>
        <translation>text：文件的字节。images：带标签的图像。csv：表格。synthetic：合成样本</translation>
    </message>
    <message>
        <source>Training data; node:/path is on the node that loads the data</source>
        <translation>训练数据；node:/路径 位于加载数据的节点上</translation>
    </message>
    <message>
        <source>Names of the columns to predict, separated by commas</source>
        <translation>要预测的列名，以逗号分隔</translation>
    </message>
    <message>
        <source>Number of classes; 0: taken from the data, or none for regression</source>
        <translation>类别的数目；0 表示从数据中得出，或为回归</translation>
    </message>
    <message>
        <source>Samples of the synthetic data set</source>
        <translation>合成数据集的样本数</translation>
    </message>
    <message>
        <source>Share of the data taken from its end; 0: none, 0.1 is usual</source>
        <translation>从数据末尾取出的比例；0：不取，常用 0.1</translation>
    </message>
    <message>
        <source>Number of batches to train on; each step uses one batch</source>
        <translation>训练所用的批数，每步一批</translation>
    </message>
    <message>
        <source>Number of samples in one step</source>
        <translation>每步的样本数</translation>
    </message>
    <message>
        <source>Number of equal parts of a batch; more parts keep the stages busier</source>
        <translation>一批分成的等份数；越多则各阶段越忙</translation>
    </message>
    <message>
        <source>Size of a step; 0.001 is usual for adamw, 0.05 for sgd</source>
        <translation>每步走多远；adamw 常用 0.001，sgd 常用 0.05</translation>
    </message>
    <message>
        <source>Share of the previous step that is added to the next step; 0: none, 0.9 is usual</source>
        <translation>上一步带入下一步的比例；0：不带入，常用 0.9</translation>
    </message>
    <message>
        <source>Decay rate of the mean of the gradients; 0.9 is usual</source>
        <translation>梯度均值的衰减率；常用 0.9</translation>
    </message>
    <message>
        <source>Decay rate of the mean of the squared gradients; 0.999 is usual</source>
        <translation>梯度平方均值的衰减率；常用 0.999</translation>
    </message>
    <message>
        <source>Part of each weight that is subtracted at each step; 0: none, 0.01 is usual for adamw</source>
        <translation>每步从各权重减去的比例；0：不减，adamw 常用 0.01</translation>
    </message>
    <message>
        <source>stop: the task fails at that step. continue: the task keeps training</source>
        <translation>stop：任务在该步失败。continue：继续训练</translation>
    </message>
    <message>
        <source>Schedule of the learning rate: constant, or falling along a cosine, a line or in steps</source>
        <translation>学习率的变化：constant 不变，cosine、linear、step 分别按余弦、直线或阶梯下降</translation>
    </message>
    <message>
        <source>Number of first steps in which the learning rate rises from 0; 0: none</source>
        <translation>最初若干步，学习率从 0 升起；0：不预热</translation>
    </message>
    <message>
        <source>Steps until the learning rate has decayed, or between two drops; 0: all steps</source>
        <translation>学习率降完所需的步数，或两次下降之间的步数；0：全部步数</translation>
    </message>
    <message>
        <source>Factor of the learning rate at each step of its schedule; 0.1 is usual</source>
        <translation>学习率在策略的每级所乘的倍数；常用 0.1</translation>
    </message>
    <message>
        <source>Largest norm of all gradients together; 0: no clipping, 1 is usual</source>
        <translation>全部梯度合计的最大范数；0 表示不裁剪，常用 1</translation>
    </message>
    <message>
        <source>cross_entropy: for classes. mse: squared error, for numbers</source>
        <translation>cross_entropy：用于类别。mse：平方误差，用于数值</translation>
    </message>
    <message>
        <source>Random seed; the same seed gives the same losses on every cut</source>
        <translation>随机种子；种子相同，则任何切分下损失都相同</translation>
    </message>
    <message>
        <source>Steps between validations; 0: never</source>
        <translation>每隔多少步验证一次；0：不验证</translation>
    </message>
    <message>
        <source>Batches per validation; 0: the whole validation part</source>
        <translation>每次验证所用的批数；0：整个验证集</translation>
    </message>
    <message>
        <source>Recompute activations in the backward pass: less memory, more work</source>
        <translation>反向时重新计算激活值：省内存，多计算</translation>
    </message>
    <message>
        <source>Order of the stages&apos; work; 1f1b holds fewer activations than gpipe</source>
        <translation>各阶段的工作次序；1f1b 比 gpipe 占用更少的激活值</translation>
    </message>
    <message>
        <source>Device of the instances: cpu, cuda, or one of several such as cuda:1</source>
        <translation>实例所用的计算设备：cpu、cuda，或多个之一，例如 cuda:1</translation>
    </message>
    <message>
        <source>Threads of each instance; their sum on a node should not exceed its cores</source>
        <translation>每个实例的线程数；同一节点上的总数不应超过其核数</translation>
    </message>
    <message>
        <source>Number of checkpoints to keep; older ones are removed</source>
        <translation>保留最新的若干个；更早的会被删除</translation>
    </message>
    <message>
        <source>Number of idle processes, each of which can replace a failed process at once; 0: none</source>
        <translation>空闲进程的数目：有进程终止时由其接替，无需等待新进程启动；0：没有</translation>
    </message>
    <message>
        <source>A model from a file, or one of the built-in models</source>
        <translation>文件中的模型；也可选择内置的模型</translation>
    </message>
</context>
<context>
    <name>divisi::panels::TasksPanel</name>
    <message>
        <source>Show only tasks with this text</source>
        <translation>仅显示含此文本的任务</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>Repeated phases of a task, each with its count: its instances report (telemetry), or gateways and routers get a new policy (policy)</source>
        <translation>任务在其状态之外反复经历的阶段：实例上报（遥测），并在网关和路由器设置新策略（策略）；以及经历的次数</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Tasks of the cluster</source>
        <translation>集群的任务</translation>
    </message>
    <message>
        <source>The task was still queued when an earlier cluster ended. Use Release to start it.</source>
        <translation>由已结束的集群留在队列中。按“放行”启动。</translation>
    </message>
    <message>
        <source>runs as one group with %1</source>
        <translation>与 %1 同组</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>放行</translation>
    </message>
    <message>
        <source>Save results</source>
        <translation>保存结果</translation>
    </message>
    <message>
        <source>Results (*.csv)</source>
        <translation>结果 (*.csv)</translation>
    </message>
    <message>
        <source>Save results...</source>
        <translation>保存结果...</translation>
    </message>
    <message>
        <source>The model&apos;s prediction for each sample, as CSV</source>
        <translation>模型对每个样本的预测，CSV 格式</translation>
    </message>
    <message>
        <source>No instance has reported for so long that its progress is unknown.</source>
        <translation>其所有实例已很久没有报告，无从得知它是否仍在进行。</translation>
    </message>
    <message>
        <source>Last report</source>
        <translation>上次报告</translation>
    </message>
    <message>
        <source>Time since an instance of the task last reported; marked if all are silent</source>
        <translation>该任务的实例上一次报告自身状况距今多久；全部无响应时会标出</translation>
    </message>
    <message>
        <source>No task yet.</source>
        <translation>还没有任务。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::CloseGuard</name>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 等，另有 %2 个</translation>
    </message>
    <message>
        <source>Files of a task are on their way to the cluster.</source>
        <translation>任务的文件正在传往集群。</translation>
    </message>
    <message>
        <source>Running or queued on the cluster of this window: %1</source>
        <translation>本窗口的集群上仍有任务在运行或排队：%1</translation>
    </message>
    <message>
        <source>Tasks are not finished</source>
        <translation>任务尚未结束</translation>
    </message>
    <message>
        <source>The task is submitted when all files have arrived.</source>
        <translation>文件到齐之后任务才会提交。</translation>
    </message>
    <message>
        <source>This cluster and these tasks would end with the window, and their completed steps would be lost.</source>
        <translation>该集群随窗口一起结束，这些任务也会结束，已完成的步会丢失。</translation>
    </message>
    <message>
        <source>Close when they have ended</source>
        <translation>任务结束后关闭</translation>
    </message>
    <message>
        <source>End the transfer and close</source>
        <translation>取消传输并关闭</translation>
    </message>
    <message>
        <source>Stop them and close</source>
        <translation>停止任务并关闭</translation>
    </message>
    <message>
        <source>The window closes when its tasks have ended. To choose differently, close the window again.</source>
        <translation>任务结束后窗口将关闭。再次关闭窗口可重新选择。</translation>
    </message>
    <message>
        <source>Stopping the tasks; then the window closes.</source>
        <translation>正在停止任务，随后关闭窗口。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::CommandPalette</name>
    <message>
        <source>Type an action</source>
        <translation>输入操作名称</translation>
    </message>
    <message>
        <source>Find an action</source>
        <translation>查找操作</translation>
    </message>
    <message>
        <source>Actions found</source>
        <translation>找到的操作</translation>
    </message>
</context>
<context>
    <name>divisi::shell::ConnectionLabel</name>
    <message>
        <source>No cluster</source>
        <translation>没有集群</translation>
    </message>
    <message>
        <source>Models can be opened and cut; running a task needs a cluster.</source>
        <translation>可以打开并切分模型；运行任务需要集群。</translation>
    </message>
    <message>
        <source>Starting a cluster on this machine...</source>
        <translation>正在本机启动集群...</translation>
    </message>
    <message>
        <source>Connecting to %1...</source>
        <translation>正在连接 %1...</translation>
    </message>
    <message>
        <source>Connected to %1</source>
        <translation>已连接 %1</translation>
    </message>
    <message>
        <source>Not connected, next attempt in %1 s</source>
        <translation>未连接，%1 秒后重试</translation>
    </message>
    <message>
        <source>Recording of %1</source>
        <translation>%1 的录制</translation>
    </message>
    <message>
        <source>The recording console was not connected then: %1</source>
        <translation>当时录制的控制台没有连接：%1</translation>
    </message>
</context>
<context>
    <name>divisi::shell::KeyList</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>In the graph: %1</source>
        <translation>图中：%1</translation>
    </message>
</context>
<context>
    <name>divisi::shell::MainWindow</name>
    <message>
        <source>Reading %1...</source>
        <translation>正在读取 %1...</translation>
    </message>
    <message>
        <source>Open model or task</source>
        <translation>打开模型或任务</translation>
    </message>
    <message>
        <source>Models and tasks (*.onnx *.toml);;All files (*)</source>
        <translation>模型与任务 (*.onnx *.toml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Toolbar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>Connect to cluster</source>
        <translation>连接到集群</translation>
    </message>
    <message>
        <source>Connection files (*.toml);;All files (*)</source>
        <translation>连接文件 (*.toml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>A second console could not be started. Start divisi again.</source>
        <translation>无法启动第二个控制台。请再次启动 divisi。</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Open recen&amp;t</source>
        <translation>最近打开(&amp;T)</translation>
    </message>
    <message>
        <source>This cluster cannot be used from here: %1</source>
        <translation>无法从这里使用此集群：%1</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>请先打开一个模型。</translation>
    </message>
    <message>
        <source>This model has no legal cut position.</source>
        <translation>此模型没有可放切分点的位置。</translation>
    </message>
    <message>
        <source>There is no cut.</source>
        <translation>没有切分点。</translation>
    </message>
    <message>
        <source>No cut is selected. Press Tab in the graph to select one.</source>
        <translation>未选中切分点。在图中按 Tab 可依次选择。</translation>
    </message>
    <message>
        <source>No painted segments wait for each other.</source>
        <translation>没有互相等待的涂色分段。</translation>
    </message>
    <message>
        <source>No segments are painted.</source>
        <translation>没有涂色分段。</translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation>尚未做任何更改。</translation>
    </message>
    <message>
        <source>Nothing to redo.</source>
        <translation>没有可重做的更改。</translation>
    </message>
    <message>
        <source>There is no cluster.</source>
        <translation>没有集群。</translation>
    </message>
    <message>
        <source>Choose a task in Tasks first.</source>
        <translation>请先在任务列表中选择一个任务。</translation>
    </message>
    <message>
        <source>The chosen task has ended.</source>
        <translation>选中的任务已结束。</translation>
    </message>
    <message>
        <source>No graph is on screen.</source>
        <translation>屏幕上没有图。</translation>
    </message>
    <message>
        <source>The task graph has no actual size.</source>
        <translation>任务图没有实际大小。</translation>
    </message>
    <message>
        <source>The score always colours operators by their segment. Show the model graph to change the colouring.</source>
        <translation>总谱按分段显示每个算子：请显示模型图。</translation>
    </message>
    <message>
        <source>The window already shows the present.</source>
        <translation>现在显示的就是当前时刻。</translation>
    </message>
    <message>
        <source>%1 no longer exists. It was removed from the list.</source>
        <translation>%1 已不存在，不再列出。</translation>
    </message>
    <message>
        <source>It does not include unsaved changes.</source>
        <translation>新窗口不包含此处未保存的更改。</translation>
    </message>
    <message>
        <source>A new window opens on the cluster of %1.</source>
        <translation>将打开新窗口，连接 %1 的集群。</translation>
    </message>
    <message>
        <source>A new window opens, on the recording.</source>
        <translation>将打开新窗口，显示录制。</translation>
    </message>
    <message>
        <source>A new window opens, with a cluster.</source>
        <translation>将打开带集群的新窗口。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::MessageBar</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TimeCursorButton</name>
    <message>
        <source>%1, playing %2</source>
        <translation>%1，播放中 %2</translation>
    </message>
    <message>
        <source>%1, paused</source>
        <translation>%1，已暂停</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Play from here</source>
        <translation>从此处播放(&amp;P)</translation>
    </message>
    <message>
        <source>Curves, timeline, log, topology, nodes and task graph show this moment; other tables show the present. This window records topology and states while it is open, and drops the oldest first. Press Ctrl+L to go back to now.</source>
        <translation>曲线、时间线、日志、拓扑、节点和任务图显示此刻；其他表格显示当前。此窗口在打开期间保留拓扑和状态，最早的最先丢弃。Ctrl+L 返回当前。</translation>
    </message>
    <message>
        <source>The moment shown</source>
        <translation>所显示的时刻</translation>
    </message>
    <message>
        <source>&amp;Back by %1 s</source>
        <translation>后退 %1 秒(&amp;B)</translation>
    </message>
    <message>
        <source>Back to &amp;now</source>
        <translation>返回当前(&amp;N)</translation>
    </message>
    <message>
        <source>Play %1</source>
        <translation>播放 %1</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
</context>
<context>
    <name>divisi::panels::ListPage</name>
    <message>
        <source>There is no connection to a cluster.</source>
        <translation>没有与集群的连接。</translation>
    </message>
</context>
<context>
    <name>divisi::panels::RowTable</name>
    <message>
        <source>&amp;Copy rows</source>
        <translation>复制行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;all rows</source>
        <translation>复制所有行(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Sort by</source>
        <translation>排序方式(&amp;S)</translation>
    </message>
    <message>
        <source>Original order</source>
        <translation>按行的原有顺序</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TaskSaver</name>
    <message>
        <source>Save task</source>
        <translation>保存任务</translation>
    </message>
    <message>
        <source>Tasks (*.toml)</source>
        <translation>任务 (*.toml)</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的修改</translation>
    </message>
    <message>
        <source>The task “%1” has changes that are not saved.</source>
        <translation>任务“%1”有未保存的修改。</translation>
    </message>
    <message>
        <source>Save the changes, or lose moved cuts and edited fields.</source>
        <translation>请保存，否则移动过的切分点和修改过的字段会丢失。</translation>
    </message>
    <message>
        <source>The task cannot be saved yet: %1. Cancel to correct the task, or lose the changes.</source>
        <translation>现在无法保存：%1。可取消后改正，否则修改会丢失。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::UnitFeed</name>
    <message>
        <source>%1 had no units at the moment shown.</source>
        <translation>在所显示的时刻，%1 没有任务单元。</translation>
    </message>
    <message>
        <source>%1 has no units yet: its plan creates them.</source>
        <translation>%1 还没有任务单元：有了方案才有。</translation>
    </message>
    <message>
        <source>%1 ended before it had a plan: %2</source>
        <translation>%1 在有方案之前已结束：%2</translation>
    </message>
    <message>
        <source>%1 ended before it had a plan.</source>
        <translation>%1 在有方案之前已结束。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::UploadBar</name>
    <message>
        <source>Reading the files of the task</source>
        <translation>正在读取任务文件</translation>
    </message>
    <message>
        <source>Sending files to the nodes: %1 of %2</source>
        <translation>正在向节点传送文件：%1 / %2</translation>
    </message>
    <message>
        <source>Cancel; data received is kept</source>
        <translation>取消；已到达的部分会保留</translation>
    </message>
    <message>
        <source>Cancel the transfer</source>
        <translation>取消传送</translation>
    </message>
</context>
<context>
    <name>divisi::shell::WelcomePage</name>
    <message>
        <source>Open a model to cut it</source>
        <translation>打开模型进行切分</translation>
    </message>
    <message>
        <source>Its graph appears here. Drag the cuts, read what each would cost, and run the segments on this machine or a cluster.</source>
        <translation>模型图显示在这里。拖动切分点，查看每种切分的代价，并在本机或集群上运行各分段。</translation>
    </message>
    <message>
        <source>Model from the zoo</source>
        <translation>模型库中的模型</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Opened last</source>
        <translation>最近打开的文件</translation>
    </message>
    <message>
        <source>A cluster is starting on this machine. Open a model meanwhile.</source>
        <translation>正在本机启动集群。可先打开模型。</translation>
    </message>
    <message>
        <source>Connecting. Open a model meanwhile.</source>
        <translation>正在连接。可先打开模型。</translation>
    </message>
    <message>
        <source>This window shows a recording of %1. To run something, start a cluster or connect to one.</source>
        <translation>此窗口显示 %1 的录制。要运行任务，请启动集群或连接到集群。</translation>
    </message>
    <message>
        <source>Connected to %1. Open a model, cut it and run it there.</source>
        <translation>已连接 %1。打开模型，切分后即可在其上运行。</translation>
    </message>
    <message>
        <source>There is no connection: %1. Divisi tries again automatically. You can also connect to another cluster.</source>
        <translation>没有连接：%1。会自动重试；也可以连接到其他集群。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Watch a recording, without a cluster</source>
        <translation>观看录制，无需集群</translation>
    </message>
    <message>
        <source>Step by step</source>
        <translation>逐步引导</translation>
    </message>
    <message>
        <source>Start a cluster on this machine</source>
        <translation>在本机启动集群</translation>
    </message>
    <message>
        <source>Connect to a cluster</source>
        <translation>连接到集群</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>Sample: %1</source>
        <translation>示例：%1</translation>
    </message>
    <message>
        <source>Or drop an .onnx model, a .toml task file or a recording anywhere in this window. Press ? for all keys.</source>
        <translation>也可以将 .onnx 模型、.toml 任务文件或录制文件拖放到窗口任意位置。按 ? 查看所有快捷键。</translation>
    </message>
    <message>
        <source>This window has no cluster. You can open and cut models; to run them, start a cluster on this machine or connect to one.</source>
        <translation>此窗口没有集群。可以打开并切分模型；要运行，请在本机启动集群或连接到集群。</translation>
    </message>
    <message>
        <source>Each of these opens a new window.</source>
        <translation>两者都会打开新窗口。</translation>
    </message>
    <message>
        <source>Opens in a new window; this window stays as it is</source>
        <translation>在新窗口中打开：此窗口保持不变</translation>
    </message>
</context>
<context>
    <name>divisi::shell::ZooDialog</name>
    <message>
        <source>Model from the zoo</source>
        <translation>模型库中的模型</translation>
    </message>
</context>
<context>
    <name>divisi::topology::Details</name>
    <message>
        <source>keeps a backup path ready</source>
        <translation>保持备用路径</translation>
    </message>
    <message>
        <source>credit %1, waiting %2, promised %3</source>
        <translation>信用 %1，排队 %2，已承诺 %3</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The device has left the cluster; its position is kept.</source>
        <translation>已离开集群，其位置保留。</translation>
    </message>
    <message>
        <source>up</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>away: %1</source>
        <translation>暂离：%1</translation>
    </message>
    <message>
        <source>Last report</source>
        <translation>上次报告</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Routing identifier</source>
        <translation>路由标识</translation>
    </message>
    <message>
        <source>Route table</source>
        <translation>路由表</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Promised</source>
        <translation>已承诺</translation>
    </message>
    <message>
        <source>Held now</source>
        <translation>当前持有</translation>
    </message>
    <message>
        <source>Forwarded</source>
        <translation>已转发</translation>
    </message>
    <message>
        <source>%1 in %2 chunks</source>
        <translation>%1，共 %2 块</translation>
    </message>
    <message>
        <source>Rerouted</source>
        <translation>改道发送</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chunks</source>
        <translation>
            <numerusform>%Ln 块</numerusform>
        </translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message numerus="yes">
        <source>%Ln signals</source>
        <translation>
            <numerusform>%Ln 条信令</numerusform>
        </translation>
    </message>
    <message>
        <source>Failures of neighbours</source>
        <translation>邻居故障次数</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%2 上的 %1</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>MIC</source>
        <translation>MIC</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>Sent since start</source>
        <translation>启动以来发送</translation>
    </message>
    <message>
        <source>Credit left</source>
        <translation>剩余信用</translation>
    </message>
    <message>
        <source>%1, at most %2 so far</source>
        <translation>%1，迄今最多 %2</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Last heard</source>
        <translation>上次消息</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>%1, %2 cores, %3</source>
        <translation>%1，%2 核，%3</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>已用内存</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>SID</source>
        <translation>SID</translation>
    </message>
    <message>
        <source>Incarnation</source>
        <translation>化身</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>代</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>loads data</source>
        <translation>加载数据</translation>
    </message>
    <message>
        <source>none: on standby</source>
        <translation>无：待命中</translation>
    </message>
    <message>
        <source>Message of the instance</source>
        <translation>自述</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Nodes without a MIC</source>
        <translation>不属于 MIC 的节点</translation>
    </message>
    <message>
        <source>MIC %1</source>
        <translation>MIC %1</translation>
    </message>
    <message>
        <source>Node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>Instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>Router %1</source>
        <translation>路由器 %1</translation>
    </message>
    <message>
        <source>Gateway %1</source>
        <translation>网关 %1</translation>
    </message>
    <message>
        <source>Link %1 – %2</source>
        <translation>链路 %1 – %2</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>microservice instance cluster</source>
        <translation>微服务实例集群</translation>
    </message>
    <message>
        <source>no path now</source>
        <translation>当前没有路径</translation>
    </message>
    <message>
        <source>ends here</source>
        <translation>在此终止</translation>
    </message>
    <message>
        <source>unknown: it is away</source>
        <translation>未知：设备暂离</translation>
    </message>
    <message>
        <source>not routed here now</source>
        <translation>当前不经过此处</translation>
    </message>
    <message>
        <source>renewed %1 s ago</source>
        <translation>%1 秒前续租</translation>
    </message>
    <message>
        <source>held, %1</source>
        <translation>持有，%1</translation>
    </message>
    <message>
        <source>overdue, but kept because many leases are overdue; %1</source>
        <translation>已逾期，因同时逾期者众多而保留；%1</translation>
    </message>
    <message>
        <source>lapsed, %1</source>
        <translation>已失效，%1</translation>
    </message>
    <message>
        <source>time unknown</source>
        <translation>时间未知</translation>
    </message>
    <message>
        <source>Fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Reported</source>
        <translation>上报</translation>
    </message>
    <message>
        <source>By SRv6</source>
        <translation>经 SRv6</translation>
    </message>
    <message>
        <source>Drain</source>
        <translation>排空</translation>
    </message>
</context>
<context>
    <name>divisi::topology::Adverts</name>
    <message>
        <source>waiting %1, credit %2</source>
        <translation>等待 %1，信用 %2</translation>
    </message>
    <message>
        <source>%1; no path to %2</source>
        <translation>%1；无法到达 %2</translation>
    </message>
    <message>
        <source>Version, sequence</source>
        <translation>版本，序号</translation>
    </message>
    <message>
        <source>Link to %1</source>
        <translation>到 %1 的链路</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>已失效</translation>
    </message>
    <message>
        <source>waiting %1, credit %2, %3/s, round trip %4, loss %5 %</source>
        <translation>等待 %1，信用 %2，%3/s，往返 %4，丢失 %5 %</translation>
    </message>
    <message>
        <source>service time %1, load %2 %, waiting %3</source>
        <translation>服务时间 %1，负载 %2 %，等待 %3</translation>
    </message>
    <message>
        <source>, on %1</source>
        <translation>，位于 %1</translation>
    </message>
    <message>
        <source> with %1 GFLOP/s</source>
        <translation>，%1 GFLOP/s</translation>
    </message>
</context>
<context>
    <name>divisi::topology::DeviceNames</name>
    <message>
        <source>device %1</source>
        <translation>设备 %1</translation>
    </message>
</context>
<context>
    <name>divisi::topology::Fields</name>
    <message>
        <source>orchestrator</source>
        <translation>编排器</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>code %1, value %2</source>
        <translation>代码 %1，值 %2</translation>
    </message>
    <message>
        <source>%1 → %2, flow %3</source>
        <translation>%1 → %2，流 %3</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>无法解析</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>发送时间</translation>
    </message>
    <message>
        <source>From, to</source>
        <translation>从，到</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>无法解析</translation>
    </message>
    <message>
        <source>Route table</source>
        <translation>路由表</translation>
    </message>
    <message>
        <source>Message type</source>
        <translation>消息类型</translation>
    </message>
    <message>
        <source>Send TTL</source>
        <translation>发送 TTL</translation>
    </message>
    <message>
        <source>%1, protocol %2, flow %3</source>
        <translation>%1，协议 %2，流 %3</translation>
    </message>
    <message>
        <source>%1, port %2</source>
        <translation>%1，端口 %2</translation>
    </message>
    <message>
        <source>%1, interface %2</source>
        <translation>%1，接口 %2</translation>
    </message>
    <message>
        <source>refreshed every %1</source>
        <translation>每 %1 刷新</translation>
    </message>
    <message>
        <source>%1 times 10⁶ bytes</source>
        <translation>%1 × 10⁶ 字节</translation>
    </message>
    <message>
        <source>flow %1, reservation %2, %3 bytes allowed since start</source>
        <translation>流 %1，预留 %2，开始以来共允许 %3 字节</translation>
    </message>
    <message>
        <source>%1, code %2, value %3</source>
        <translation>%1，代码 %2，值 %3</translation>
    </message>
    <message>
        <source>Class %1, C-Type %2</source>
        <translation>类 %1，C-Type %2</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
</context>
<context>
    <name>divisi::topology::MeshPaint</name>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>down</source>
        <translation>中断</translation>
    </message>
    <message>
        <source>has not reported</source>
        <translation>无消息</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>no node</source>
        <translation>无节点</translation>
    </message>
    <message>
        <source>%1 of %2 nodes ready</source>
        <translation>%2 个节点中 %1 个就绪</translation>
    </message>
    <message>
        <source>usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>nodes without a MIC</source>
        <translation>不属于 MIC 的节点</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>%1 promised</source>
        <translation>承诺 %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>%1 个已离开</translation>
    </message>
    <message>
        <source>cut on purpose</source>
        <translation>人为切断</translation>
    </message>
    <message>
        <source>%1 MB/s</source>
        <translation>%1 MB/s</translation>
    </message>
    <message>
        <source>slowed: %1</source>
        <translation>已减慢：%1</translation>
    </message>
</context>
<context>
    <name>divisi::topology::ServiceTable</name>
    <message>
        <source>Renewed</source>
        <translation>续约</translation>
    </message>
    <message>
        <source>Unchanged since this view opened.</source>
        <translation>自此视图打开以来未变。</translation>
    </message>
    <message>
        <source>SID: the role of a process, as task/unit/replica (in the drafts: service identifier)</source>
        <translation>SID：进程所担任的角色，写作“任务/单元/副本”（草案术语：service identifier）</translation>
    </message>
    <message>
        <source>One process that serves the SID; its number is never reused (in the drafts: instance)</source>
        <translation>担任该 SID 的一个进程；其编号不会再次使用（草案术语：instance）</translation>
    </message>
    <message>
        <source>Incarnation</source>
        <translation>化身</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Capability</source>
        <translation>能力</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Input → output</source>
        <translation>输入 → 输出</translation>
    </message>
    <message>
        <source>SID or device</source>
        <translation>SID 或设备</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
</context>
<context>
    <name>divisi::topology::Services</name>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>Renewed</source>
        <translation>续约</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>over</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>lapsed, but kept by the registry&apos;s self-preservation</source>
        <translation>已到期，注册中心自我保护期间保留</translation>
    </message>
    <message>
        <source>held: renewed within the last %1 s</source>
        <translation>持有：在最近 %1 秒内续约</translation>
    </message>
    <message>
        <source>SID</source>
        <translation>SID</translation>
    </message>
    <message>
        <source>Incarnation</source>
        <translation>化身</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Revision</source>
        <translation>修订号</translation>
    </message>
    <message>
        <source>Serves prefix</source>
        <translation>应答前缀</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>代</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>MIC</source>
        <translation>MIC</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>算力</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>none required</source>
        <translation>不需要</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>gateway</source>
        <translation>网关</translation>
    </message>
    <message>
        <source>router</source>
        <translation>路由器</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Routing identifier</source>
        <translation>路由标识</translation>
    </message>
</context>
<context>
    <name>divisi::topology::ServicesView</name>
    <message>
        <source>Asking the registry…</source>
        <translation>正在询问注册中心…</translation>
    </message>
    <message>
        <source>No service is registered. Instances register when a task runs.</source>
        <translation>没有已注册的服务。任务运行时实例会注册。</translation>
    </message>
    <message>
        <source>%1 of %2 services</source>
        <translation>%2 个服务中的 %1 个</translation>
    </message>
    <message>
        <source>revision %1, confirmed %2</source>
        <translation>修订号 %1，确认于 %2</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Doing</source>
        <translation>正在执行</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1，已 %2</translation>
    </message>
    <message>
        <source>No service, gateway or router has the text %1.</source>
        <translation>没有含文字 %1 的服务、网关或路由器。</translation>
    </message>
    <message>
        <source>Show only rows with this text</source>
        <translation>只显示含此文字的行</translation>
    </message>
    <message>
        <source>Filter of services, gateways and routers</source>
        <translation>服务、网关和路由器筛选</translation>
    </message>
    <message>
        <source>No service, gateway or router has the prefix %1.</source>
        <translation>没有前缀为 %1 的服务、网关或路由器。</translation>
    </message>
    <message>
        <source>%1 of %2 gateways and routers</source>
        <translation>%2 个网关和路由器中的 %1 个</translation>
    </message>
    <message>
        <source>Show only SIDs and devices with this prefix</source>
        <translation>只显示以此开头的 SID 和设备</translation>
    </message>
    <message>
        <source>Prefix of the shown SIDs and devices</source>
        <translation>所显示 SID 和设备的前缀</translation>
    </message>
    <message>
        <source>Registered services, gateways and routers</source>
        <translation>已注册的服务、网关和路由器</translation>
    </message>
    <message>
        <source>Fields of the selected service, gateway or router</source>
        <translation>所选服务、网关或路由器的字段</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>等待 %1</translation>
    </message>
</context>
<context>
    <name>divisi::topology::SignalLog</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Flow</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Credit, or error</source>
        <translation>信用或错误</translation>
    </message>
</context>
<context>
    <name>divisi::topology::SignalingView</name>
    <message>
        <source>%1 of %2 messages</source>
        <translation>%2 条消息中的 %1 条</translation>
    </message>
    <message>
        <source>All types</source>
        <translation>所有类型</translation>
    </message>
    <message>
        <source>All senders</source>
        <translation>所有发送者</translation>
    </message>
    <message>
        <source>Type of message</source>
        <translation>消息类型</translation>
    </message>
    <message>
        <source>Sender</source>
        <translation>发送者</translation>
    </message>
    <message>
        <source>Show only messages with this text</source>
        <translation>只显示含此文字的消息</translation>
    </message>
    <message>
        <source>Filter of the messages</source>
        <translation>消息筛选</translation>
    </message>
    <message>
        <source>Show only flows with this text</source>
        <translation>只显示含此文字的流</translation>
    </message>
    <message>
        <source>Filter by flow</source>
        <translation>按流筛选</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Stop adding new messages while you read; release the button to add them</source>
        <translation>阅读时不添加新消息，取消后补上</translation>
    </message>
    <message>
        <source>Messages between gateways and routers</source>
        <translation>网关与路由器之间的消息</translation>
    </message>
    <message>
        <source>Fields of the selected message</source>
        <translation>所选消息的字段</translation>
    </message>
    <message>
        <source>Selected link</source>
        <translation>所选链路</translation>
    </message>
    <message>
        <source>First select a link, in the topology or by one of its messages</source>
        <translation>请先在拓扑中或通过其中一条消息选中一条链路</translation>
    </message>
    <message>
        <source>Show only messages between %1 and %2</source>
        <translation>只显示 %1 与 %2 之间的消息</translation>
    </message>
    <message>
        <source>Click or press Enter to select this link</source>
        <translation>单击或按回车：选中此链路</translation>
    </message>
</context>
<context>
    <name>divisi::topology::SlowLinkDialog</name>
    <message>
        <source>Slow the link %1 – %2</source>
        <translation>减慢链路 %1 – %2</translation>
    </message>
    <message>
        <source>unlimited</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Applies in both directions, until the link is healed.</source>
        <translation>双向有效，直到恢复。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Added delay</source>
        <translation>附加延迟</translation>
    </message>
    <message>
        <source>Slow the link</source>
        <translation>减慢链路</translation>
    </message>
    <message>
        <source>Rate: %1; write e.g. 20 MB/s</source>
        <translation>速率：%1；例如写 20 MB/s</translation>
    </message>
    <message>
        <source>Added delay: %1; write e.g. 10 ms</source>
        <translation>附加延迟：%1；例如写 10 ms</translation>
    </message>
    <message>
        <source>The rate must be between 1 kB/s and 1 TB/s.</source>
        <translation>速率必须在 1 kB/s 与 1 TB/s 之间。</translation>
    </message>
    <message>
        <source>The delay must not exceed %1 s.</source>
        <translation>延迟不得超过 %1 秒。</translation>
    </message>
    <message>
        <source>Give a rate, a delay, or both.</source>
        <translation>请给出速率、延迟或两者。</translation>
    </message>
</context>
<context>
    <name>divisi::topology::TopologyPage</name>
    <message>
        <source>⬡ router (SR)</source>
        <translation>⬡ 路由器 (SR)</translation>
    </message>
    <message>
        <source>▭ gateway (MG)</source>
        <translation>▭ 网关 (MG)</translation>
    </message>
    <message>
        <source>width of a link: traffic</source>
        <translation>链路粗细：流量</translation>
    </message>
    <message>
        <source>gauges at its ends: credit left</source>
        <translation>两端刻度：剩余信用</translation>
    </message>
    <message>
        <source>blue: paths of %1</source>
        <translation>蓝色：%1 的路径</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Arrange anew</source>
        <translation>重新排列</translation>
    </message>
    <message>
        <source>Picture of the mesh: MICs, nodes, gateways, routers and links</source>
        <translation>服务网格图：MIC、节点、网关、路由器和链路</translation>
    </message>
    <message>
        <source>Details of the selected element</source>
        <translation>所选元素的详情</translation>
    </message>
    <message>
        <source>Show idle parts</source>
        <translation>显示空闲部分</translation>
    </message>
    <message>
        <source>Also show elements that no task uses; elements that are away or down are always shown</source>
        <translation>也显示没有任务使用的元素；暂离或中断的始终显示</translation>
    </message>
    <message>
        <source>No mesh is known yet. Nodes, gateways and routers appear here when a cluster is connected; see its state at the lower right.</source>
        <translation>尚无网格信息。连接集群后，节点、网关和路由器将显示在此；连接状态见右下角。</translation>
    </message>
    <message>
        <source>as it was at %1</source>
        <translation>%1 时的状态</translation>
    </message>
    <message>
        <source>orange: an injected fault</source>
        <translation>橙色：人为制造的故障</translation>
    </message>
    <message>
        <source>Forget departed elements</source>
        <translation>清除已离开的元素</translation>
    </message>
    <message>
        <source>Cut link</source>
        <translation>切断链路</translation>
    </message>
    <message>
        <source>Slow link…</source>
        <translation>减慢链路…</translation>
    </message>
    <message>
        <source>Heal link</source>
        <translation>恢复链路</translation>
    </message>
    <message>
        <source>Kill router</source>
        <translation>终止路由器</translation>
    </message>
    <message>
        <source>Kill instance</source>
        <translation>终止实例</translation>
    </message>
    <message>
        <source>Pause instance…</source>
        <translation>暂停实例…</translation>
    </message>
    <message>
        <source>Kill node</source>
        <translation>终止节点</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>not connected to a cluster</source>
        <translation>未连接到集群</translation>
    </message>
    <message>
        <source>this cluster does not allow injected faults; an embedded cluster does</source>
        <translation>此集群不接受故障注入；内嵌集群接受</translation>
    </message>
    <message>
        <source>your role is not allowed to inject faults</source>
        <translation>您的角色不能制造故障</translation>
    </message>
    <message>
        <source>Select a node first: click it, or go there with the arrow keys</source>
        <translation>请先选择一个节点：单击它，或用方向键移到那里</translation>
    </message>
    <message>
        <source>Select an instance first: click it, or go there with the arrow keys</source>
        <translation>请先选择一个实例：单击它，或用方向键移到那里</translation>
    </message>
    <message>
        <source>its process has ended</source>
        <translation>其进程已结束</translation>
    </message>
    <message>
        <source>%1 is away and cannot be reached</source>
        <translation>%1 不在线，无法通知</translation>
    </message>
    <message>
        <source>Asked to kill %1; its task resumes from its last checkpoint</source>
        <translation>已请求终止 %1；其任务从最近的检查点继续</translation>
    </message>
    <message>
        <source>Asked to kill %1 and its instances; an embedded cluster starts it again</source>
        <translation>已请求终止 %1 及其实例；内嵌集群会重新启动它</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>Seconds for which to pause the instance&apos;s process, as on an overloaded machine</source>
        <translation>其进程停止的秒数，如同在过载的机器上</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Asked to pause %1 for %2 s</source>
        <translation>已请求暂停 %1，时长 %2 秒</translation>
    </message>
    <message>
        <source>Heal all links</source>
        <translation>恢复所有链路</translation>
    </message>
    <message>
        <source>Select a link first: click it, or go there with the arrow keys</source>
        <translation>请先选择链路：点击它，或用方向键移动到它</translation>
    </message>
    <message>
        <source>Select a router first: click it, or go there with the arrow keys</source>
        <translation>请先选择路由器：点击它，或用方向键移动到它</translation>
    </message>
    <message>
        <source>%1 is away: nothing to kill</source>
        <translation>%1 已离开：无可终止</translation>
    </message>
    <message>
        <source>Asked to kill %1; an embedded cluster starts it again</source>
        <translation>已请求终止 %1；内嵌集群会重新启动它</translation>
    </message>
    <message>
        <source>This link has no injected fault</source>
        <translation>此链路没有人为制造的故障</translation>
    </message>
    <message>
        <source>Discard dragged positions of MICs and routers</source>
        <translation>清除 MIC 和路由器的拖动位置</translation>
    </message>
    <message>
        <source>Free the positions of elements that left the cluster</source>
        <translation>不再为已离开集群的元素保留位置</translation>
    </message>
    <message>
        <source>Undo all injected faults</source>
        <translation>撤销所有人为制造的故障</translation>
    </message>
    <message>
        <source>Click or press Enter to select the first link of this path; repeat for the next one</source>
        <translation>单击或按回车：选中此路径的第一条链路，再次操作选中下一条</translation>
    </message>
</context>
<context>
    <name>divisi::topology::TopologyView</name>
    <message>
        <source>Show only nodes and instances with this text</source>
        <translation>只显示含此文字的节点和实例</translation>
    </message>
    <message>
        <source>Filter of nodes and instances</source>
        <translation>节点和实例的筛选</translation>
    </message>
    <message>
        <source>microservice instance cluster</source>
        <translation>微服务实例集群</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>Last heard</source>
        <translation>上次消息</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Nodes and instances of the cluster</source>
        <translation>集群的节点与实例</translation>
    </message>
    <message>
        <source>No node is known. Nodes appear here when a cluster is connected.</source>
        <translation>尚无节点。连接集群后节点显示在这里。</translation>
    </message>
    <message>
        <source>Neither the node nor its instances have reported yet</source>
        <translation>该节点及其上运行的实例都尚未上报</translation>
    </message>
</context>
<context>
    <name>divisi::model::Incidents</name>
    <message>
        <source>detecting</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>deciding</source>
        <translation>决定</translation>
    </message>
    <message>
        <source>restoring</source>
        <translation>恢复状态</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>repeating steps</source>
        <translation>重做步骤</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>已过去</translation>
    </message>
    <message>
        <source>recovers</source>
        <translation>正在恢复</translation>
    </message>
    <message>
        <source>recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>被打断</translation>
    </message>
    <message>
        <source>continues without it</source>
        <translation>缺它继续</translation>
    </message>
    <message>
        <source>is replaced</source>
        <translation>正在替换</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>已替换</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>未决定</translation>
    </message>
    <message>
        <source>restart after step %1 as generation %2</source>
        <translation>从第 %1 步之后重新开始，作为第 %2 代</translation>
    </message>
</context>
<context>
    <name>divisi::panels::IncidentTable</name>
    <message>
        <source>Steps that the task repeats</source>
        <translation>任务重做的步数</translation>
    </message>
    <message>
        <source>Time from the fault until the task had caught up; each row has its own scale</source>
        <translation>从故障到任务追上原进度；每行自有比例</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Failed part</source>
        <translation>故障对象</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>处理</translation>
    </message>
    <message>
        <source>Repeated steps</source>
        <translation>重做步数</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>阶段</translation>
    </message>
</context>
<context>
    <name>divisi::panels::RecoveriesView</name>
    <message>
        <source>Show only incidents with this text</source>
        <translation>只显示含此文字的故障</translation>
    </message>
    <message>
        <source>Filter of the incidents</source>
        <translation>故障筛选</translation>
    </message>
    <message>
        <source>Failures of processes and nodes, and the task&apos;s recovery, appear here phase by phase.</source>
        <translation>出故障的进程和节点，以及任务如何恢复，在这里逐阶段显示。</translation>
    </message>
    <message>
        <source>No task has had a fault.</source>
        <translation>没有任务遇到故障。</translation>
    </message>
    <message>
        <source>%1 has had no fault.</source>
        <translation>%1 没有遇到故障。</translation>
    </message>
    <message>
        <source>%1, after %2</source>
        <translation>%1，%2 之后</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Failed part</source>
        <translation>故障对象</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Detected</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>决定</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>状态恢复</translation>
    </message>
    <message>
        <source>Resumed</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Caught up</source>
        <translation>追上进度</translation>
    </message>
    <message>
        <source>Repeated steps</source>
        <translation>重做步数</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>处理</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>All tasks</source>
        <translation>所有任务</translation>
    </message>
    <message>
        <source>Show the incidents of all tasks, not just the selected one</source>
        <translation>显示所有任务的故障，而不只是所选任务的</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Times of the selected incident</source>
        <translation>所选故障的时间</translation>
    </message>
    <message>
        <source>Incidents: %1</source>
        <translation>故障：%1</translation>
    </message>
</context>
<context>
    <name>divisi::model::LiveRecut</name>
    <message>
        <source>Re-cut of %1</source>
        <translation>%1 的重新切分</translation>
    </message>
    <message>
        <source>Step: not predicted; the form describes another training</source>
        <translation>步时：未预测，因为表单中是另一种训练</translation>
    </message>
    <message>
        <source>Step: …</source>
        <translation>步时：…</translation>
    </message>
    <message>
        <source>Step: %1 predicted</source>
        <translation>步时：预测 %1</translation>
    </message>
    <message>
        <source>Step: %1 predicted, %2 now (%3)</source>
        <translation>步时：预测 %1，现为 %2（%3）</translation>
    </message>
    <message>
        <source>Stall: about %1, as at its last re-cut</source>
        <translation>停顿：约 %1，与上次重新切分相同</translation>
    </message>
    <message>
        <source>Stall: about %1, as at its last recovery</source>
        <translation>停顿：约 %1，与上次恢复相同</translation>
    </message>
    <message>
        <source>Stall: unknown, not measured yet</source>
        <translation>停顿：未知，尚无测量</translation>
    </message>
    <message>
        <source>Data to send first: about %1</source>
        <translation>须先传送：约 %1</translation>
    </message>
    <message>
        <source>Data to send first: unknown before a checkpoint</source>
        <translation>须先传送：其方案有第一个检查点之前未知</translation>
    </message>
    <message>
        <source>Re-cut of %1, stages: %2</source>
        <translation>重新切分 %1，阶段数：%2</translation>
    </message>
    <message>
        <source>There is no connection to a cluster.</source>
        <translation>没有与集群的连接。</translation>
    </message>
    <message>
        <source>Your role is read-only. Operators and admins re-cut tasks.</source>
        <translation>您的角色只能查看。由操作员或管理员重新切分任务。</translation>
    </message>
    <message>
        <source>Back to the cuts of %1</source>
        <translation>回到 %1 的切分点</translation>
    </message>
    <message>
        <source>%1 was not re-cut: %2</source>
        <translation>%1 未被重新切分：%2</translation>
    </message>
    <message>
        <source>Cuts advised for %1</source>
        <translation>为 %1 建议的切分点</translation>
    </message>
    <message>
        <source>Choose a training task in Tasks.</source>
        <translation>请先在任务列表中选择一个正在训练的任务。</translation>
    </message>
    <message>
        <source>Searching for better cuts.</source>
        <translation>正在寻找更好的切分点。</translation>
    </message>
    <message>
        <source>%1 trains with the new plan as generation %2, after step %3. Stalled for %4, steps repeated: %5, sent: %6.</source>
        <translation>%1 在第 %3 步之后以第 %2 代按新方案训练。停顿 %4，重做步数：%5，传送：%6。</translation>
    </message>
    <message>
        <source>Use Undo to go back.</source>
        <translation>可用“撤销”退回。</translation>
    </message>
    <message>
        <source>To go back, choose the task in Tasks, open its model, and re-cut the task without any cut.</source>
        <translation>退回的方法：在任务列表中选择该任务，打开其模型，重新切分为没有切分点。</translation>
    </message>
    <message>
        <source>To go back, choose the task in Tasks, open its model, and re-cut the task at the cuts after %1.</source>
        <translation>退回的方法：在任务列表中选择该任务，打开其模型，重新切分到 %1 之后的切分点。</translation>
    </message>
    <message>
        <source>Cuts moved during the re-cut of %1</source>
        <translation>在 %1 重新切分期间移动</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::RecutBar</name>
    <message>
        <source>%1 trains with its old plan until the new one is ready…</source>
        <translation>在新方案就绪之前，%1 按原方案继续训练…</translation>
    </message>
    <message>
        <source>Re-cut %1 now</source>
        <translation>立即重新切分 %1</translation>
    </message>
    <message>
        <source>The task trains until the new plan is ready, then resumes with it after its last checkpoint, with the same losses</source>
        <translation>任务继续训练直到新方案就绪，然后从最后一个检查点起按新方案进行，损失不变</translation>
    </message>
    <message>
        <source>Show the current cuts of %1 again</source>
        <translation>重新显示 %1 训练所用的切分点</translation>
    </message>
    <message>
        <source>Keep these cuts for another task</source>
        <translation>为另一个任务保留这些切分点</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Looking for better cuts for %1…</source>
        <translation>正在为 %1 寻找更好的切分…</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show the advised cuts on the graph, with the cost of a re-cut to them</source>
        <translation>将建议的切分点显示在图上，并给出按其重新切分的代价</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TaskEnds</name>
    <message>
        <source>Task %1 has succeeded</source>
        <translation>任务 %1 已成功</translation>
    </message>
    <message>
        <source>Task %1 was stopped</source>
        <translation>任务 %1 已停止</translation>
    </message>
    <message>
        <source>Task %1 has failed</source>
        <translation>任务 %1 已失败</translation>
    </message>
    <message>
        <source>Task %1 has failed: %2</source>
        <translation>任务 %1 已失败：%2</translation>
    </message>
    <message>
        <source>the cluster gave no reason</source>
        <translation>集群未给出原因</translation>
    </message>
</context>
<context>
    <name>Events</name>
    <message>
        <source>cluster started</source>
        <translation>集群已启动</translation>
    </message>
    <message>
        <source>node joined</source>
        <translation>节点加入</translation>
    </message>
    <message>
        <source>node left or lost</source>
        <translation>节点离开或丢失</translation>
    </message>
    <message>
        <source>task submitted</source>
        <translation>任务已提交</translation>
    </message>
    <message>
        <source>task planned</source>
        <translation>任务已规划</translation>
    </message>
    <message>
        <source>instance placed</source>
        <translation>实例已放置</translation>
    </message>
    <message>
        <source>instance changed</source>
        <translation>实例状态变化</translation>
    </message>
    <message>
        <source>phase changed</source>
        <translation>阶段变化</translation>
    </message>
    <message>
        <source>step done</source>
        <translation>步骤完成</translation>
    </message>
    <message>
        <source>evaluated</source>
        <translation>已评估</translation>
    </message>
    <message>
        <source>weights stored</source>
        <translation>权重已保存</translation>
    </message>
    <message>
        <source>task ended</source>
        <translation>任务结束</translation>
    </message>
    <message>
        <source>key changed</source>
        <translation>密钥变化</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>link measured</source>
        <translation>链路已测量</translation>
    </message>
    <message>
        <source>task held</source>
        <translation>任务已搁置</translation>
    </message>
    <message>
        <source>instance registered</source>
        <translation>实例已注册</translation>
    </message>
    <message>
        <source>instance prepared</source>
        <translation>实例已就绪</translation>
    </message>
    <message>
        <source>instance ended</source>
        <translation>实例结束</translation>
    </message>
    <message>
        <source>task queued</source>
        <translation>任务排队</translation>
    </message>
    <message>
        <source>task ending</source>
        <translation>任务正在结束</translation>
    </message>
    <message>
        <source>lease granted</source>
        <translation>租约已授予</translation>
    </message>
    <message>
        <source>lease activated</source>
        <translation>租约已激活</translation>
    </message>
    <message>
        <source>lease finished</source>
        <translation>租约使用完毕</translation>
    </message>
    <message>
        <source>lease measured</source>
        <translation>租约用量已测量</translation>
    </message>
    <message>
        <source>lease reclaimed</source>
        <translation>租约已收回</translation>
    </message>
    <message>
        <source>receipt key changed</source>
        <translation>收据密钥变化</translation>
    </message>
    <message>
        <source>reservation made</source>
        <translation>已建立预留</translation>
    </message>
    <message>
        <source>reservation ended</source>
        <translation>预留结束</translation>
    </message>
    <message>
        <source>gateway or router joined</source>
        <translation>网关或路由器加入</translation>
    </message>
    <message>
        <source>gateway or router left</source>
        <translation>网关或路由器离开</translation>
    </message>
    <message>
        <source>lease of a gateway or router</source>
        <translation>网关或路由器的租约</translation>
    </message>
    <message>
        <source>policy changed</source>
        <translation>策略变化</translation>
    </message>
    <message>
        <source>service registered</source>
        <translation>服务已注册</translation>
    </message>
    <message>
        <source>service left</source>
        <translation>服务离开</translation>
    </message>
    <message>
        <source>lease taken over</source>
        <translation>租约被接续</translation>
    </message>
    <message>
        <source>checkpoint committed</source>
        <translation>检查点已提交</translation>
    </message>
    <message>
        <source>task recovers</source>
        <translation>任务正在恢复</translation>
    </message>
    <message>
        <source>exception raised</source>
        <translation>出现异常</translation>
    </message>
    <message>
        <source>exception closed</source>
        <translation>异常已关闭</translation>
    </message>
    <message>
        <source>task re-cut</source>
        <translation>任务已重新切分</translation>
    </message>
    <message>
        <source>node drained or undrained</source>
        <translation>节点排空或取消排空</translation>
    </message>
    <message>
        <source>version of a model kept</source>
        <translation>保留了模型版本</translation>
    </message>
    <message>
        <source>version of a model dropped</source>
        <translation>删除了模型版本</translation>
    </message>
    <message>
        <source>alert raised</source>
        <translation>发出警报</translation>
    </message>
    <message>
        <source>alert cleared</source>
        <translation>警报解除</translation>
    </message>
    <message>
        <source>re-cut advised</source>
        <translation>建议重新切分</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>是(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>否(&amp;N)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
</context>
<context>
    <name>TelemetryLines</name>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步时</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Links: bandwidth</source>
        <translation>链路：带宽</translation>
    </message>
    <message>
        <source>Links: latency</source>
        <translation>链路：延迟</translation>
    </message>
    <message>
        <source>Links: queued</source>
        <translation>链路：排队</translation>
    </message>
    <message>
        <source>Links: credit</source>
        <translation>链路：信用</translation>
    </message>
    <message>
        <source>Nodes: CPU</source>
        <translation>节点：CPU</translation>
    </message>
    <message>
        <source>Nodes: memory</source>
        <translation>节点：内存</translation>
    </message>
    <message>
        <source>Nodes: temperature</source>
        <translation>节点：温度</translation>
    </message>
    <message>
        <source>Nodes: power</source>
        <translation>节点：功率</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>% of the time</source>
        <translation>占时间的 %</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>MiB/s</source>
        <translation>MiB/s</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Time, s</source>
        <translation>时间 (s)</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>All heads, weighted</source>
        <translation>所有任务头（加权）</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
</context>
<context>
    <name>divisi::client::Client</name>
    <message>
        <source>This is a recording of %1. Connect to a cluster to do that.</source>
        <translation>这是 %1 的录制。要执行此操作，请连接到集群。</translation>
    </message>
    <message>
        <source>The window shows the past. Go back to now (Ctrl+L) to do that.</source>
        <translation>所显示的是过去的时刻。要执行此操作，请返回当前（Ctrl+L）。</translation>
    </message>
    <message>
        <source>Your role at %1 is read-only. Operators and admins run and stop tasks; an admin assigns roles with divisictl keys.</source>
        <translation>您在 %1 的角色只能查看。任务由操作员或管理员运行和停止；集群的管理者可用 divisictl keys 授予角色。</translation>
    </message>
    <message>
        <source>This window has no cluster. To open a window with a cluster, use Connect to cluster or Start a cluster on this machine in the File menu.</source>
        <translation>此窗口没有集群。“文件”菜单中的“连接到集群”和“在本机启动集群”会打开有集群的窗口。</translation>
    </message>
    <message>
        <source>A cluster is starting on this machine; see its state at the lower right.</source>
        <translation>正在本机启动集群；其状态见右下角。</translation>
    </message>
    <message>
        <source>There is no connection to a cluster; see its state at the lower right.</source>
        <translation>没有与集群的连接；连接状态见右下角。</translation>
    </message>
    <message>
        <source>To begin, open a model and run a task (F5).</source>
        <translation>要开始，请打开模型并运行任务 (F5)。</translation>
    </message>
    <message>
        <source>The window shows the past. Go back to now (Ctrl+L) to see what came later.</source>
        <translation>显示的是过去的某一时刻。请返回当前时刻 (Ctrl+L) 查看后来的情况。</translation>
    </message>
    <message>
        <source>This is a recording of %1. Play on to see what came later.</source>
        <translation>这是 %1 的录制。请继续播放以查看后来的情况。</translation>
    </message>
    <message>
        <source>Your role at %1 is read-only: the tasks of others appear here.</source>
        <translation>您在 %1 的角色只能查看：他人运行的内容显示在这里。</translation>
    </message>
</context>
<context>
    <name>divisi::client::PastClient</name>
    <message>
        <source>This window has kept no data for the moment shown.</source>
        <translation>所显示的时刻没有保留任何内容。</translation>
    </message>
    <message>
        <source>The topology and states are kept from %1 on, but the moment shown is earlier. Choose a later moment, or press Ctrl+L for now.</source>
        <translation>拓扑和状态自 %1 起保留；所显示的时刻更早。请选择更晚的时刻，或按 Ctrl+L 返回现在。</translation>
    </message>
</context>
<context>
    <name>divisi::client::Recorder</name>
    <message>
        <source>Recording has ended: %1. The file can be replayed up to there.</source>
        <translation>录制已结束：%1。文件可回放到该处。</translation>
    </message>
    <message>
        <source>Recording has ended: the disk of %1 is too slow. The last %2 s are not in the file yet, and are lost if the disk does not recover. Record to another disk.</source>
        <translation>录制已结束：%1 所在的磁盘跟不上。最近 %2 秒的内容尚未写入文件，若磁盘不再响应就会丢失。请录制到其他磁盘。</translation>
    </message>
    <message>
        <source>The disk of %1 does not answer: the last %2 s of the recording are not in the file yet. Keep the window open until it does, or they are lost.</source>
        <translation>%1 所在的磁盘没有响应：录制的最后 %2 秒尚未写入文件。请让窗口保持打开直到磁盘响应，否则这些内容会丢失。</translation>
    </message>
</context>
<context>
    <name>divisi::client::ReplayClient</name>
    <message>
        <source>The recording is damaged: it is shown up to the damage; the last %1 bytes are left out.</source>
        <translation>录制文件已损坏：只显示到损坏处，其后的 %1 字节被略去。</translation>
    </message>
    <message>
        <source>The recording was not closed: it is shown up to the last complete record.</source>
        <translation>录制文件没有正常关闭：只显示到最后一条完整写入的内容。</translation>
    </message>
    <message>
        <source>The recording has records that this version of Divisi does not know; they are left out.</source>
        <translation>录制文件含有此版本 Divisi 不认识的内容；这些内容被略去。</translation>
    </message>
    <message>
        <source>This is a recording of %1</source>
        <translation>这是 %1 的录制</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to run the task.</source>
        <translation>%1：要运行任务，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to stop tasks.</source>
        <translation>%1：要停止任务，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to release tasks.</source>
        <translation>%1：要放行任务，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: the cluster holds the results; connect to it to save them.</source>
        <translation>%1：结果在集群上；要保存结果，请连接到该集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to retry a task.</source>
        <translation>%1：要重试任务，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to drop exceptions.</source>
        <translation>%1：要移除异常，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to re-cut a task.</source>
        <translation>%1：要重新切分任务，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to inject faults.</source>
        <translation>%1：要制造故障，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to heal links.</source>
        <translation>%1：要恢复链路，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to set policies.</source>
        <translation>%1：要设置策略，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to try policies.</source>
        <translation>%1：要试算策略，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to start modules.</source>
        <translation>%1：要启动模块，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to stop modules.</source>
        <translation>%1：要停止模块，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to change modules.</source>
        <translation>%1：要更改模块，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to the cluster to read its stores.</source>
        <translation>%1：要读取其状态库，请连接到该集群。</translation>
    </message>
    <message>
        <source>%1: connect to the cluster to read its processes&apos; output.</source>
        <translation>%1：要读取其进程写出的内容，请连接到该集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to drop versions.</source>
        <translation>%1：要删除版本，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: the cluster holds the weights; connect to it to export them.</source>
        <translation>%1：权重在集群上；要导出权重，请连接到该集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to drain nodes.</source>
        <translation>%1：要排空节点，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to get advice.</source>
        <translation>%1：要得到建议，请连接到集群。</translation>
    </message>
    <message>
        <source>%1: connect to a cluster to keep checkpoints.</source>
        <translation>%1：请连接到集群以保留检查点。</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::Legend</name>
    <message>
        <source>Segments</source>
        <translation>分段</translation>
    </message>
    <message>
        <source>Time of one micro-batch, forward and backward</source>
        <translation>一个微批的时间，前向与反向</translation>
    </message>
    <message>
        <source>Weights, and activations of one micro-batch</source>
        <translation>权重，以及一个微批的激活值</translation>
    </message>
    <message>
        <source>Bytes of the outputs that later operators read</source>
        <translation>后续算子读取的字节数</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: from %2 (dark) to %3 (bright)</source>
        <translation>%1：从 %2（深）到 %3（亮）</translation>
    </message>
    <message>
        <source>hatched: estimated from FLOPs and bytes</source>
        <translation>斜线：未经实测，由 FLOPs 与字节数估算</translation>
    </message>
    <message>
        <source>estimated from FLOPs and bytes</source>
        <translation>未经实测，由 FLOPs 与字节数估算</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::LegendBar</name>
    <message>
        <source>Legend of the colours</source>
        <translation>颜色图例</translation>
    </message>
</context>
<context>
    <name>TimelineMeasure</name>
    <message>
        <source>FLOPs</source>
        <translation>FLOPs</translation>
    </message>
    <message>
        <source>Bytes read and written</source>
        <translation>读写的字节数</translation>
    </message>
    <message>
        <source>Predicted time of one micro-batch</source>
        <translation>预测的一个微批的时间</translation>
    </message>
    <message>
        <source>Memory held by one micro-batch</source>
        <translation>占用的内存，一个微批</translation>
    </message>
    <message>
        <source>%1 a micro-batch</source>
        <translation>每个微批 %1</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::TimelinePainter</name>
    <message>
        <source>Segment %1: %2, %3</source>
        <translation>分段 %1：%2，%3</translation>
    </message>
    <message>
        <source>Colours show the painted segments; &quot;Back to cuts&quot; restores cuts.</source>
        <translation>颜色表示涂色的分段；用“改回切分点”可得到切分点。</translation>
    </message>
    <message>
        <source>of one micro-batch</source>
        <translation>一个微批</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::OperatorTimelinePanel</name>
    <message>
        <source>Width:</source>
        <translation>宽度：</translation>
    </message>
    <message>
        <source>Unit of the widths</source>
        <translation>宽度的含义</translation>
    </message>
    <message>
        <source>Visible part of the score</source>
        <translation>总谱的显示部分</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::OperatorTimeline</name>
    <message>
        <source>Calculating the times of the operators; until then the widths are FLOPs</source>
        <translation>正在估算各算子；在此之前宽度表示 FLOPs</translation>
    </message>
    <message>
        <source>No predicted time; the widths are FLOPs: %1</source>
        <translation>没有预测的时间，宽度表示 FLOPs：%1</translation>
    </message>
    <message>
        <source>measured operators</source>
        <translation>算子均为实测</translation>
    </message>
    <message>
        <source>%1 of the time measured; hatched operators are not</source>
        <translation>时间的 %1 为实测；带斜线的未经实测</translation>
    </message>
    <message>
        <source>unmeasured operators</source>
        <translation>算子未经实测</translation>
    </message>
    <message>
        <source>This model has no legal cut left</source>
        <translation>此模型没有剩余的合法切分位置</translation>
    </message>
    <message>
        <source>A cut is already here</source>
        <translation>此处已有切分点</translation>
    </message>
    <message>
        <source>cut %1 after %2</source>
        <translation>切分点 %1 位于 %2 之后</translation>
    </message>
    <message>
        <source>Model score</source>
        <translation>模型总谱</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>位于 %1 之后</translation>
    </message>
    <message>
        <source>Crossing: %1 forward, %2 back</source>
        <translation>传输：前向 %1，反向 %2</translation>
    </message>
    <message>
        <source>Tensors: %1</source>
        <translation>张量：%1</translation>
    </message>
    <message>
        <source>Tensors: %1, some of unknown size</source>
        <translation>张量：%1，部分大小未知</translation>
    </message>
    <message>
        <source>Move cut</source>
        <translation>移动切分点</translation>
    </message>
    <message>
        <source>No legal cut position beyond this one</source>
        <translation>前方没有合法位置</translation>
    </message>
    <message>
        <source>Cannot be dropped here: %1</source>
        <translation>不能放在此处：%1</translation>
    </message>
    <message>
        <source>The cut stays where it was: %1</source>
        <translation>切分点留在原处：%1</translation>
    </message>
</context>
<context>
    <name>divisi::model::Advice</name>
    <message>
        <source>The cuts of %1 are the best ones found. Its busiest stage does %2 of the mean work of a stage.</source>
        <translation>%1 的切分已是找到的最优。其最忙的阶段为平均值的 %2。</translation>
    </message>
    <message>
        <source>stall about %1, as last time</source>
        <translation>停顿约 %1，与上次相同</translation>
    </message>
    <message>
        <source>stall about %1</source>
        <translation>停顿约 %1</translation>
    </message>
    <message>
        <source>Other cuts of %1 would be %2 faster, %3: not worth it, %4</source>
        <translation>%1 的其他切分会快 %2，%3：不值得，%4</translation>
    </message>
    <message>
        <source>A better cut for %1: %2 faster, %3, pays back in %4 (steps: %5 of %6 left)</source>
        <translation>%1 有更好的切分：快 %2，%3，%4 后收回代价（步数：剩余 %6 步中的 %5 步）</translation>
    </message>
    <message>
        <source>%1 (cause of this check: %2)</source>
        <translation>%1（查找原因：%2）</translation>
    </message>
</context>
<context>
    <name>divisi::model::Alerts</name>
    <message>
        <source>slow training</source>
        <translation>训练变慢</translation>
    </message>
    <message>
        <source>node silent</source>
        <translation>节点无响应</translation>
    </message>
    <message>
        <source>queue long</source>
        <translation>队列过长</translation>
    </message>
    <message>
        <source>disk short</source>
        <translation>磁盘不足</translation>
    </message>
    <message>
        <source>loss not finite</source>
        <translation>损失不是有限数</translation>
    </message>
    <message>
        <source>%1 tasks</source>
        <translation>%1 个任务</translation>
    </message>
    <message>
        <source>open</source>
        <translation>未解除</translation>
    </message>
    <message>
        <source>cleared</source>
        <translation>已解除</translation>
    </message>
    <message>
        <source>nothing: %1</source>
        <translation>无需处理：%1</translation>
    </message>
    <message>
        <source>its task failed: see exception %1</source>
        <translation>其任务已失败：见异常 %1</translation>
    </message>
    <message>
        <source>1 task</source>
        <translation>1 个任务</translation>
    </message>
</context>
<context>
    <name>divisi::model::Drains</name>
    <message>
        <source>draining, instances left: %1</source>
        <translation>排空中，剩余实例：%1</translation>
    </message>
    <message>
        <source>drained: nothing runs there</source>
        <translation>已排空：其上没有实例在运行</translation>
    </message>
    <message>
        <source>not connected to a cluster</source>
        <translation>未连接到集群</translation>
    </message>
    <message>
        <source>your role is not allowed to drain nodes</source>
        <translation>您的角色不能排空节点</translation>
    </message>
    <message>
        <source>the node has left the cluster</source>
        <translation>它已离开集群</translation>
    </message>
    <message>
        <source>the node already accepts instances</source>
        <translation>它正在接收实例</translation>
    </message>
    <message>
        <source>the node is already drained</source>
        <translation>它已被排空</translation>
    </message>
    <message>
        <source>the node is away, and gets no instances anyway</source>
        <translation>它暂离，本来就不会得到实例</translation>
    </message>
    <message>
        <source>a task waits for the node: stop the task first</source>
        <translation>有任务在等待它：请先停止该任务</translation>
    </message>
</context>
<context>
    <name>SpillFile</name>
    <message>
        <source>Older samples are kept only at low resolution: %1 accepts no more data (%2). Free space there.</source>
        <translation>较早的样本只保留轮廓：%1 无法再写入数据（%2）。请在该处腾出空间。</translation>
    </message>
</context>
<context>
    <name>divisi::model::Stores</name>
    <message>
        <source>State: owner</source>
        <translation>状态：所有者</translation>
    </message>
    <message>
        <source>State: step and generation</source>
        <translation>状态：步与代</translation>
    </message>
    <message>
        <source>Configuration: deployment</source>
        <translation>配置：部署</translation>
    </message>
    <message>
        <source>Configuration: settings</source>
        <translation>配置：设置</translation>
    </message>
    <message>
        <source>Dependencies: peers</source>
        <translation>依赖：对端</translation>
    </message>
    <message>
        <source>Hardware: device and measured times</source>
        <translation>硬件：设备与实测时间</translation>
    </message>
    <message>
        <source>Metrics: steps</source>
        <translation>指标：步</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Audit: orders received</source>
        <translation>审计：收到的指令</translation>
    </message>
</context>
<context>
    <name>divisi::panels::AlertsView</name>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>处理办法</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>自</translation>
    </message>
    <message>
        <source>Cleared</source>
        <translation>解除时间</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>No alert has this text. Clear the filter to see all.</source>
        <translation>没有警报含有此文字。清除筛选可查看全部。</translation>
    </message>
    <message>
        <source>No alert is open. Tick &quot;Cleared too&quot; to see past alerts.</source>
        <translation>没有未解除的警报。勾选“含已解除”可查看以往的警报。</translation>
    </message>
    <message>
        <source>No alerts. The rules in [alerts] of the cluster file raise them: slow training, silent nodes, a long queue, full disks, losses that are not numbers.</source>
        <translation>没有警报。警报由集群文件 [alerts] 中的规则发出：训练变慢、节点无响应、队列过长、磁盘不足、损失不是数值。</translation>
    </message>
    <message>
        <source>%1 open</source>
        <translation>%1 个未解除</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>Choose an alert in the table first</source>
        <translation>请先在表中选择一个警报</translation>
    </message>
    <message>
        <source>Show only alerts with this text</source>
        <translation>只显示含此文字的警报</translation>
    </message>
    <message>
        <source>Filter of the alerts</source>
        <translation>警报筛选</translation>
    </message>
    <message>
        <source>Cleared too</source>
        <translation>含已解除</translation>
    </message>
    <message>
        <source>Show the subject</source>
        <translation>显示对象</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>Fields of the selected alert</source>
        <translation>所选警报的字段</translation>
    </message>
    <message>
        <source>Subject</source>
        <translation>对象</translation>
    </message>
</context>
<context>
    <name>divisi::panels::LogTable</name>
    <message>
        <source>debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Event or process</source>
        <translation>事件或进程</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
</context>
<context>
    <name>divisi::panels::MeasureBar</name>
    <message>
        <source>Measuring the operators on this machine: %1 done. Results are kept.</source>
        <translation>正在本机实测算子：已完成 %1 个。测得的结果会保留。</translation>
    </message>
    <message>
        <source>The operators were not measured. %1</source>
        <translation>算子未能实测。%1</translation>
    </message>
    <message>
        <source>Prices are estimates from FLOPs and bytes. Measuring each kind of operator once on this machine makes them accurate for any cut.</source>
        <translation>估价由 FLOPs 与字节数推算。在本机对每种算子实测一次，即可使任何切分的估价准确。</translation>
    </message>
    <message>
        <source>A task is running: measuring would slow it, and the results would be wrong</source>
        <translation>有任务正在运行：任务会变慢，测得的结果也会偏慢</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Do not offer this for the current model</source>
        <translation>不再为此模型提示</translation>
    </message>
    <message>
        <source>Measuring was ended because a task started, which would make the times wrong. Earlier results are kept. Measure again when the task has ended.</source>
        <translation>有任务开始运行，与其同时测得的时间会不准：实测已结束。此前测得的结果会保留。请在任务结束后再次实测。</translation>
    </message>
    <message>
        <source>There are no prices to measure: %1</source>
        <translation>没有可实测的估价：%1</translation>
    </message>
    <message>
        <source>All operators of this plan were measured.</source>
        <translation>此方案的算子均已实测。</translation>
    </message>
    <message>
        <source>Takes seconds to minutes</source>
        <translation>需要数秒到数分钟</translation>
    </message>
</context>
<context>
    <name>divisi::panels::StoresView</name>
    <message>
        <source>Nothing was exported: the connection was lost. Export again when the connection is back.</source>
        <translation>没有导出：连接已断开。恢复后请重新导出。</translation>
    </message>
    <message>
        <source>%1 is away: its stores are listed when it is back.</source>
        <translation>%1 暂离：恢复后会列出其状态库。</translation>
    </message>
    <message>
        <source>damaged: %1</source>
        <translation>已损坏：%1</translation>
    </message>
    <message>
        <source>intact</source>
        <translation>完好</translation>
    </message>
    <message>
        <source>The file does not name the SID that owns it, so the node does not read it. Inspect the file on the node.</source>
        <translation>文件没有写明所属，因此其节点不读取它。请在节点上查看该文件。</translation>
    </message>
    <message>
        <source>There is no connection to a cluster; choose the store again when the connection is back.</source>
        <translation>没有与集群的连接；恢复后请重新选择状态库。</translation>
    </message>
    <message>
        <source>Reading from %1…</source>
        <translation>正在从 %1 读取…</translation>
    </message>
    <message>
        <source>Nothing was exported: %1</source>
        <translation>没有导出：%1</translation>
    </message>
    <message>
        <source>No rows: its instance has written none yet.</source>
        <translation>没有行：其实例尚未写入。</translation>
    </message>
    <message numerus="yes">
        <source>The newest %Ln rows, as read by the node; there are older ones.</source>
        <translation>
            <numerusform>最新的 %Ln 行，由节点读出；还有更早的行。</numerusform>
        </translation>
    </message>
    <message>
        <source>All %1 rows, as read by the node.</source>
        <translation>全部 %1 行，由节点读出。</translation>
    </message>
    <message>
        <source>Rows left out because their checksums are wrong: %1.</source>
        <translation>略去 %1 行：其校验和不符。</translation>
    </message>
    <message>
        <source>No snapshot is committed. In the task file, [checkpoint] every sets how often snapshots are made.</source>
        <translation>没有已提交的快照。任务文件中 [checkpoint] 的 every 决定多久生成一次。</translation>
    </message>
    <message>
        <source>Committed snapshots of this instance&apos;s part of the model.</source>
        <translation>集群已提交的此实例部分的快照。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>代</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Committed</source>
        <translation>提交时间</translation>
    </message>
    <message>
        <source>Nodes that have it</source>
        <translation>持有它的节点</translation>
    </message>
    <message>
        <source>Export the state of %1</source>
        <translation>导出 %1 的状态</translation>
    </message>
    <message>
        <source>All tables as JSON lines (*.jsonl);;The table shown as CSV (*.csv)</source>
        <translation>所有表，JSON lines 格式 (*.jsonl);;所显示的表，CSV 格式 (*.csv)</translation>
    </message>
    <message>
        <source>Snapshots are in no table. Choose another role, or export JSON lines.</source>
        <translation>快照不在任何表中。请选择其他内容，或导出 JSON lines。</translation>
    </message>
    <message>
        <source>Reading data to export…</source>
        <translation>正在读取要导出的内容…</translation>
    </message>
    <message>
        <source>%1 rows written to %2</source>
        <translation>已将 %1 行写入 %2</translation>
    </message>
    <message>
        <source>No store has this text. Clear the filter to see all.</source>
        <translation>没有状态库含有此文字。清除筛选可查看全部。</translation>
    </message>
    <message>
        <source>Asking the nodes for their state stores…</source>
        <translation>正在向各节点查询状态库…</translation>
    </message>
    <message>
        <source>%1 of %2 stores</source>
        <translation>%2 个状态库中的 %1 个</translation>
    </message>
    <message>
        <source>Export tables of this store to a file: all as JSON lines, or the table shown as CSV</source>
        <translation>将其表写入文件：全部写成 JSON lines，或将所显示的表写成 CSV</translation>
    </message>
    <message>
        <source>Choose a store in the table first</source>
        <translation>请先在表中选择一个状态库</translation>
    </message>
    <message>
        <source>Show only stores with this text</source>
        <translation>只显示含此文字的状态库</translation>
    </message>
    <message>
        <source>Filter of the state stores</source>
        <translation>状态库筛选</translation>
    </message>
    <message>
        <source>Show only rows with this text</source>
        <translation>只显示含此文字的行</translation>
    </message>
    <message>
        <source>Filter of the rows</source>
        <translation>行筛选</translation>
    </message>
    <message>
        <source>List again</source>
        <translation>重新列出</translation>
    </message>
    <message>
        <source>Ask all nodes for their stores now instead of at the next automatic request (every 10 s)</source>
        <translation>立即向所有节点查询状态库；平时每 10 秒自动查询一次</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Older rows</source>
        <translation>更早的行</translation>
    </message>
    <message>
        <source>Shown part of the store</source>
        <translation>所显示的状态库内容</translation>
    </message>
    <message>
        <source>Recovery snapshots</source>
        <translation>恢复用快照</translation>
    </message>
    <message>
        <source>State stores of all nodes</source>
        <translation>所有节点的状态库</translation>
    </message>
    <message>
        <source>Rows of the selected store</source>
        <translation>所选状态库的行</translation>
    </message>
    <message>
        <source>SID</source>
        <translation>SID</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Incarnation</source>
        <translation>化身</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入时间</translation>
    </message>
    <message>
        <source>The only row of this table, as read by the node.</source>
        <translation>仅有一行，为节点所读取的内容。</translation>
    </message>
    <message>
        <source>1 row written to %1</source>
        <translation>已将 1 行写入 %1</translation>
    </message>
    <message>
        <source>No state stores. Each instance of a task writes one on its node.</source>
        <translation>没有状态库。任务的每个实例在其节点上写入一个。</translation>
    </message>
</context>
<context>
    <name>divisi::panels::VersionsView</name>
    <message>
        <source>the model&apos;s initial weights</source>
        <translation>模型的初始权重</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>哈希</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Lineage</source>
        <translation>谱系</translation>
    </message>
    <message>
        <source>Derived from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>生成时间</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Version %1 was written to %2</source>
        <translation>已将版本 %1 写入 %2</translation>
    </message>
    <message>
        <source>The weights of version %1 were deleted.</source>
        <translation>版本 %1 的权重已释放。</translation>
    </message>
    <message>
        <source>Your role is read-only. Operators and admins manage versions.</source>
        <translation>您的角色只能查看。版本由操作员或管理员管理。</translation>
    </message>
    <message>
        <source>No version has this text. Clear the filter to see all.</source>
        <translation>没有版本含有此文字。清除筛选可查看全部。</translation>
    </message>
    <message>
        <source>%1 of %2 versions</source>
        <translation>%2 个版本中的 %1 个</translation>
    </message>
    <message>
        <source>Its weights were deleted</source>
        <translation>其权重已释放</translation>
    </message>
    <message>
        <source>Choose a version in the table first</source>
        <translation>请先在表中选择一个版本</translation>
    </message>
    <message>
        <source>Open the task of this version in the form, to run it again from these weights</source>
        <translation>在表单中打开其任务，以这些权重为起点再次运行</translation>
    </message>
    <message>
        <source>Export its model with these weights as an ONNX file</source>
        <translation>将其模型连同这些权重写成 ONNX 文件</translation>
    </message>
    <message>
        <source>Delete its weights so that nodes free the space</source>
        <translation>释放其权重，使节点腾出空间</translation>
    </message>
    <message>
        <source>Delete the weights of version %1? It can then no longer start a task or be exported.</source>
        <translation>释放版本 %1 的权重？此后无法再以它为起点，也无法导出它。</translation>
    </message>
    <message>
        <source>Versions derived from it are kept, and their lineage still shows it.</source>
        <translation>由它产生的版本仍会保留，它也仍在这些版本的谱系中。</translation>
    </message>
    <message>
        <source>Drop version %1</source>
        <translation>删除版本 %1</translation>
    </message>
    <message>
        <source>Delete weights</source>
        <translation>删除权重</translation>
    </message>
    <message>
        <source>Export version %1</source>
        <translation>导出版本 %1</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx);;All files (*)</source>
        <translation>ONNX 模型 (*.onnx);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Fetching the weights of version %1…</source>
        <translation>正在获取版本 %1 的权重…</translation>
    </message>
    <message>
        <source>Show only versions with this text</source>
        <translation>只显示含此文字的版本</translation>
    </message>
    <message>
        <source>Filter of the versions</source>
        <translation>版本筛选</translation>
    </message>
    <message>
        <source>Start a task from this version…</source>
        <translation>从此版本启动任务…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Drop…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Versions of trained models, each under the one it derives from</source>
        <translation>训练所得模型的版本，各列于其来源版本之下</translation>
    </message>
    <message>
        <source>Fields of the selected version</source>
        <translation>所选版本的字段</translation>
    </message>
    <message>
        <source>The checkpoint of %1 after step %2 is now version %3.</source>
        <translation>%1 在第 %2 步之后的检查点现已成为版本 %3。</translation>
    </message>
    <message>
        <source>Keep a checkpoint of a training as a version, even if the training fails</source>
        <translation>把一次训练的检查点保留为版本，无论训练如何结束都不会丢失</translation>
    </message>
    <message>
        <source>No training has a checkpoint left to keep. Run a task with [checkpoint] every, or order one: divisictl checkpoint TASK</source>
        <translation>没有训练拥有尚未成为版本的检查点。请运行设置了 [checkpoint] every 的任务，或下令生成：divisictl checkpoint TASK</translation>
    </message>
    <message>
        <source>%1, after step %2</source>
        <translation>%1，第 %2 步之后</translation>
    </message>
    <message>
        <source>Keep a checkpoint</source>
        <translation>保留检查点</translation>
    </message>
    <message>
        <source>No versions. A training that succeeds creates one.</source>
        <translation>没有版本。成功结束的训练会留下一个版本。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::AboutDialog</name>
    <message>
        <source>console</source>
        <translation>控制台</translation>
    </message>
    <message>
        <source>all programs</source>
        <translation>所有程序</translation>
    </message>
    <message>
        <source>orchestrator, terminal</source>
        <translation>编排器、终端</translation>
    </message>
    <message>
        <source>instances</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>库</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>About Divisi</source>
        <translation>关于 Divisi</translation>
    </message>
    <message>
        <source>Splits the training of a model across machines.</source>
        <translation>将模型的训练切分到多台机器上。</translation>
    </message>
    <message>
        <source>The console is free software under the GNU General Public License, version 3 or later (GPL-3.0-or-later); all other programs are under the Apache License 2.0 (Apache-2.0). There is no warranty, to the extent permitted by law.</source>
        <translation>控制台是自由软件，采用 GNU 通用公共许可证第 3 版或更高版本 (GPL-3.0-or-later)；其他所有程序采用 Apache 许可证 2.0 (Apache-2.0)。在法律允许的范围内，不提供任何担保。</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>库</translation>
    </message>
</context>
<context>
    <name>divisi::shell::AlertButton</name>
    <message>
        <source>Alerts: %1</source>
        <translation>警报：%1</translation>
    </message>
    <message>
        <source>%1. Click to see all.</source>
        <translation>%1。点击查看全部。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::AlertController</name>
    <message>
        <source>Looking for better cuts…</source>
        <translation>正在寻找更好的切分…</translation>
    </message>
</context>
<context>
    <name>divisi::shell::DesktopController</name>
    <message>
        <source>The open task would be lost if the console crashed: %1</source>
        <translation>若控制台异常退出，打开的任务会丢失：%1</translation>
    </message>
    <message>
        <source>The last time, the console ended without closing the task that you had open.</source>
        <translation>控制台上次结束时没有关闭您打开的任务。</translation>
    </message>
    <message>
        <source>Open it again</source>
        <translation>重新打开</translation>
    </message>
    <message>
        <source>The task that you had open cannot be restored. %1</source>
        <translation>无法恢复您打开的任务。%1</translation>
    </message>
    <message>
        <source>Restored the task that you had open, with changes that are not saved.</source>
        <translation>已恢复您打开的任务，其中有未保存的修改。</translation>
    </message>
    <message>
        <source>Restored the task you had open.</source>
        <translation>已恢复您打开的任务。</translation>
    </message>
    <message>
        <source>Close it</source>
        <translation>关闭任务</translation>
    </message>
</context>
<context>
    <name>divisi::shell::GraphPage</name>
    <message>
        <source>Model graph</source>
        <translation>模型图</translation>
    </message>
    <message>
        <source>Overview of the graph</source>
        <translation>全图缩略</translation>
    </message>
    <message>
        <source>Run segment %1 on</source>
        <translation>分段 %1 运行于</translation>
    </message>
    <message>
        <source>Any node</source>
        <translation>任意节点</translation>
    </message>
    <message>
        <source>Place segment %1</source>
        <translation>放置分段 %1</translation>
    </message>
    <message>
        <source>Paint with segment</source>
        <translation>涂成分段</translation>
    </message>
    <message>
        <source>New segment</source>
        <translation>新分段</translation>
    </message>
    <message>
        <source>Segment %1</source>
        <translation>分段 %1</translation>
    </message>
    <message>
        <source>Sensitive: stays on secure nodes</source>
        <translation>敏感：只在安全节点上运行</translation>
    </message>
    <message>
        <source>%1 runs on secure nodes only</source>
        <translation>%1 只在安全节点上运行</translation>
    </message>
    <message>
        <source>%1 may run on any node</source>
        <translation>%1 可在任意节点上运行</translation>
    </message>
    <message>
        <source>Remove this cut</source>
        <translation>删除此切分点</translation>
    </message>
    <message>
        <source>Add cut after %1</source>
        <translation>在 %1 之后添加切分点</translation>
    </message>
</context>
<context>
    <name>divisi::shell::GraphTools</name>
    <message>
        <source>Segments: %1</source>
        <translation>分段：%1</translation>
    </message>
    <message>
        <source>%1 a step, predicted</source>
        <translation>每步 %1（预测）</translation>
    </message>
    <message>
        <source>Export graph</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>SVG (*.svg);;PNG (*.png)</source>
        <translation>SVG (*.svg);;PNG (*.png)</translation>
    </message>
    <message>
        <source>The graph was not exported. %1</source>
        <translation>图未能导出。%1</translation>
    </message>
    <message>
        <source>Exported to %1, reduced to %2 of the full size; an SVG file has no size limit</source>
        <translation>已按 %2 的大小导出到 %1；SVG 没有此限制</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>The graph is not laid out yet, so there is no picture to export. Wait until it appears, or close scopes to lay out less.</source>
        <translation>图尚未完成布局，因此没有可导出的图像。请等到图显示出来，或收起一些作用域以减少布局的内容。</translation>
    </message>
    <message>
        <source>Exporting %1...</source>
        <translation>正在导出 %1……</translation>
    </message>
    <message>
        <source>Nothing was exported</source>
        <translation>没有导出</translation>
    </message>
</context>
<context>
    <name>divisi::shell::GuideDock</name>
    <message>
        <source>Guide</source>
        <translation>向导</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Do it for me</source>
        <translation>替我执行</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>End the guide</source>
        <translation>结束向导</translation>
    </message>
</context>
<context>
    <name>divisi::shell::HelpWindow</name>
    <message>
        <source>Manual – Divisi</source>
        <translation>手册 – Divisi</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Search all pages</source>
        <translation>搜索所有页面</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>No page has these words.</source>
        <translation>没有页面含有这些词。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::Recordings</name>
    <message>
        <source>Nothing is recorded: %1</source>
        <translation>没有录制：%1</translation>
    </message>
    <message>
        <source>Record to</source>
        <translation>录制到</translation>
    </message>
    <message>
        <source>Recordings (*.divisirec)</source>
        <translation>录制文件 (*.divisirec)</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>Recordings (*.divisirec);;All files (*)</source>
        <translation>录制文件 (*.divisirec);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Recording %1, %2</source>
        <translation>正在录制 %1，%2</translation>
    </message>
    <message>
        <source>Recording to %1. Click to end it.</source>
        <translation>录制到 %1。点击结束录制。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::SelectionMenu</name>
    <message>
        <source>Selection in other views</source>
        <translation>在其他视图中查看所选</translation>
    </message>
    <message>
        <source>Show the selection in %1</source>
        <translation>在“%1”中显示所选</translation>
    </message>
    <message>
        <source>No other view shows the selection.</source>
        <translation>没有其他视图显示所选内容。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::SessionKeeper</name>
    <message>
        <source>cannot create %1</source>
        <translation>无法创建 %1</translation>
    </message>
    <message>
        <source>cannot write to %1</source>
        <translation>无法写入 %1</translation>
    </message>
    <message>
        <source>%1 consoles are open already</source>
        <translation>已打开 %1 个控制台</translation>
    </message>
</context>
<context>
    <name>divisi::shell::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Un&amp;saved changes</source>
        <translation>未保存的修改(&amp;S)</translation>
    </message>
    <message>
        <source>Ask each time</source>
        <translation>每次询问</translation>
    </message>
    <message>
        <source>Save them; ask only if that fails</source>
        <translation>自动保存，仅在失败时询问</translation>
    </message>
    <message>
        <source>Discard them</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Running &amp;tasks when the window closes</source>
        <translation>窗口关闭时运行中的任务(&amp;T)</translation>
    </message>
    <message>
        <source>Close when they have ended</source>
        <translation>任务结束后关闭</translation>
    </message>
    <message>
        <source>Stop them and close</source>
        <translation>停止任务并关闭</translation>
    </message>
    <message>
        <source>&amp;Forget recent files</source>
        <translation>清除最近打开的文件(&amp;F)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>divisi::shell::SplitController</name>
    <message>
        <source>Looking for the fastest cuts: %1 %</source>
        <translation>正在寻找最快的切分：%1 %</translation>
    </message>
    <message>
        <source>Cuts cannot represent interleaved segments, so these segments were joined. Undo restores them.</source>
        <translation>切分点无法保留相互交错的分段：它们现已合并。撤销可恢复。</translation>
    </message>
    <message numerus="yes">
        <source>No faster plan with %Ln stages was found</source>
        <translation>
            <numerusform>没有找到更快的 %Ln 阶段方案</numerusform>
        </translation>
    </message>
    <message>
        <source>Optimize</source>
        <translation>优化</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TaskController</name>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Results were written to %1</source>
        <translation>结果已写入 %1</translation>
    </message>
    <message>
        <source>Task %1 was submitted</source>
        <translation>任务 %1 已提交</translation>
    </message>
    <message>
        <source>Edit and resubmit…</source>
        <translation>编辑并重新提交…</translation>
    </message>
    <message>
        <source>the failed task</source>
        <translation>失败的任务</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TransportBar</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>回放</translation>
    </message>
    <message>
        <source>Replay of a recording</source>
        <translation>录制的回放</translation>
    </message>
    <message>
        <source>Position in the recording</source>
        <translation>录制中的位置</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Playback speed</source>
        <translation>录制的播放速度</translation>
    </message>
    <message>
        <source>To the previous re-cut, fault or incident</source>
        <translation>到上一次重新切分、人为故障或故障</translation>
    </message>
    <message>
        <source>To the next re-cut, fault or incident</source>
        <translation>到下一次重新切分、人为故障或故障</translation>
    </message>
    <message>
        <source>To the end</source>
        <translation>到末尾</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TransportTrack</name>
    <message>
        <source>Re-cut</source>
        <translation>重新切分</translation>
    </message>
    <message>
        <source>Injected fault</source>
        <translation>人为制造的故障</translation>
    </message>
    <message>
        <source>Incident</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
</context>
<context>
    <name>Views</name>
    <message>
        <source>Model graph</source>
        <translation>模型图</translation>
    </message>
    <message>
        <source>Task graph</source>
        <translation>任务图</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>New task</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>切分</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务列表</translation>
    </message>
    <message>
        <source>Telemetry</source>
        <translation>遥测</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Signaling</source>
        <translation>信令</translation>
    </message>
    <message>
        <source>Services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Recoveries</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Exceptions</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>State stores</source>
        <translation>状态库</translation>
    </message>
    <message>
        <source>Model versions</source>
        <translation>模型版本</translation>
    </message>
    <message>
        <source>Leases</source>
        <translation>租约</translation>
    </message>
</context>
<context>
    <name>divisi::shell::Workbench</name>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
</context>
<context>
    <name>divisi::timeline::TimelineCanvas</name>
    <message>
        <source>bubble %1</source>
        <translation>气泡 %1</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Weight gradients</source>
        <translation>权重梯度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Wire</source>
        <translation>传输中</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>%1: %2 on the wire: the awaited tensor is being sent</source>
        <translation>%1：传输中 %2：所等的张量正在途中</translation>
    </message>
    <message>
        <source>%1: idle for %2, while other instances compute</source>
        <translation>%1：空闲 %2，其他实例在计算</translation>
    </message>
    <message>
        <source>%1: %2 of micro-batch %3, step %4: %5</source>
        <translation>%1：微批 %3 的%2，第 %4 步：%5</translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>%1: waits for %2; the reason is unknown because its plan is unknown here</source>
        <translation>%1：等待 %2；这里不知道它当时运行的方案，也不知道它在等什么</translation>
    </message>
</context>
<context>
    <name>divisi::timeline::TimelineSource</name>
    <message>
        <source>Open a model to see what each stage would do in a step.</source>
        <translation>打开模型以查看各阶段在一步中做什么。</translation>
    </message>
    <message>
        <source>Waiting for the plan of %1.</source>
        <translation>正在等待 %1 的方案。</translation>
    </message>
    <message>
        <source>%1 was stopped before it had a plan. Run it again (F5) to see its timeline.</source>
        <translation>%1 在有方案之前就被停止。再次运行 (F5) 即可查看其时间线。</translation>
    </message>
    <message>
        <source>%1 failed before it had a plan: %2. You can retry it in Exceptions.</source>
        <translation>%1 在有方案之前就失败了：%2。可在“异常”中重试。</translation>
    </message>
    <message>
        <source>%1 failed before it had a plan: %2. Correct it in New task and run it again.</source>
        <translation>%1 在有方案之前就失败了：%2。请在“新建任务”中改正后再次运行。</translation>
    </message>
    <message>
        <source>%1 is held in the queue. Use Release in Tasks to start it.</source>
        <translation>%1 被扣留在队列中。按“任务”中的“放行”启动。</translation>
    </message>
    <message>
        <source>%1 waits in the queue. Its plan appears here once it has its nodes.</source>
        <translation>%1 正在排队。得到节点后，其方案会显示在这里。</translation>
    </message>
    <message>
        <source>%1 waits in the queue: %2. Its plan appears here once it has its nodes.</source>
        <translation>%1 正在排队：%2。得到节点后，其方案会显示在这里。</translation>
    </message>
</context>
<context>
    <name>divisi::timeline::TimelineView</name>
    <message>
        <source>Task %1</source>
        <translation>任务 %1</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>&lt;b&gt;Predicted by the simulator, not measured:&lt;/b&gt; step %1; %2 of the computing was profiled, the rest is estimated</source>
        <translation>&lt;b&gt;由模拟器预测，未经实测：&lt;/b&gt;每步 %1；计算中有 %2 经过实测，其余为估算</translation>
    </message>
    <message>
        <source>Simulating plan...</source>
        <translation>正在模拟方案……</translation>
    </message>
    <message>
        <source>&lt;b&gt;Measured&lt;/b&gt; (trace): step %1 took %2</source>
        <translation>&lt;b&gt;实测&lt;/b&gt;（跟踪）：第 %1 步用时 %2</translation>
    </message>
    <message>
        <source>All stages</source>
        <translation>所有阶段</translation>
    </message>
    <message>
        <source>Bubble of all stages: %1</source>
        <translation>所有阶段的气泡：%1</translation>
    </message>
    <message>
        <source>Open a trace of instances</source>
        <translation>打开实例的跟踪文件</translation>
    </message>
    <message>
        <source>Export as Chrome trace</source>
        <translation>导出为 Chrome 跟踪文件</translation>
    </message>
    <message>
        <source>Traces (*.json)</source>
        <translation>跟踪文件 (*.json)</translation>
    </message>
    <message>
        <source>Plan on screen</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>Task of the plan</source>
        <translation>方案所属的任务</translation>
    </message>
    <message>
        <source>Measured &amp;step</source>
        <translation>实测的步(&amp;S)</translation>
    </message>
    <message>
        <source>Open trace...</source>
        <translation>打开跟踪文件...</translation>
    </message>
    <message>
        <source>Export...</source>
        <translation>导出...</translation>
    </message>
    <message>
        <source>Export a Chrome trace for Perfetto</source>
        <translation>导出为 Chrome 跟踪文件，可用 Perfetto 打开</translation>
    </message>
    <message>
        <source>Timeline of a step</source>
        <translation>一步的时间线</translation>
    </message>
    <message>
        <source>Sums of the step, or of the selected range</source>
        <translation>该步或所选范围的合计</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>Computes (reported)</source>
        <translation>计算（上报）</translation>
    </message>
    <message>
        <source>Waits (reported)</source>
        <translation>等待（上报）</translation>
    </message>
    <message>
        <source>Sends a step (reported)</source>
        <translation>每步发送（上报）</translation>
    </message>
    <message>
        <source>Share of the range without computing</source>
        <translation>所选范围内不计算的时间占比</translation>
    </message>
    <message>
        <source>Share of the time since the second step that the instance spent computing, as it reports</source>
        <translation>自第二步起，其实例上报的计算时间占比</translation>
    </message>
    <message>
        <source>Share of the time that the instance spent waiting for tensors or tensor slots, as it reports</source>
        <translation>其实例上报的等待张量或张量槽位的时间占比</translation>
    </message>
    <message>
        <source>Bytes sent to other stages, as reported; includes evaluations</source>
        <translation>发往其他阶段，按其实例上报；含验证时的传输</translation>
    </message>
    <message>
        <source>&lt;b&gt;Measured&lt;/b&gt; while it runs: step %1 took %2</source>
        <translation>&lt;b&gt;实测&lt;/b&gt;（运行中）：第 %1 步用时 %2</translation>
    </message>
    <message>
        <source>no step has been measured yet</source>
        <translation>尚未实测到任何一步</translation>
    </message>
    <message>
        <source>Measured spans of all steps: start Divisi with DIVISI_TRACE=FOLDER, run a task, open that folder here</source>
        <translation>所有步的实测时段：以 DIVISI_TRACE=文件夹 启动 Divisi，运行任务，再在此打开该文件夹</translation>
    </message>
    <message>
        <source>Show live</source>
        <translation>显示实时</translation>
    </message>
    <message>
        <source>Reading the trace in %1...</source>
        <translation>正在读取 %1 中的跟踪文件……</translation>
    </message>
    <message>
        <source>its waits are not split into wire and idle because its plan is unknown here</source>
        <translation>其等待未分为传输中与空闲，因为这里不知道它当时运行的方案</translation>
    </message>
    <message>
        <source>all measured steps are later than this moment</source>
        <translation>没有早到此刻的实测步</translation>
    </message>
    <message>
        <source>the task failed: %1. No step was measured, because steps are measured only while the task runs and this view is open</source>
        <translation>任务失败：%1。没有实测到任何一步：仅在任务运行且本视图显示时才实测</translation>
    </message>
    <message>
        <source>the task has ended. No step was measured, because steps are measured only while the task runs and this view is open</source>
        <translation>任务已结束。没有实测到任何一步：仅在任务运行且本视图显示时才实测</translation>
    </message>
    <message>
        <source>Select %1</source>
        <translation>选择 %1</translation>
    </message>
    <message>
        <source>Select step %1</source>
        <translation>选择第 %1 步</translation>
    </message>
    <message>
        <source>Sum the visible range</source>
        <translation>统计所示范围</translation>
    </message>
    <message>
        <source>Sum the whole step</source>
        <translation>统计整步</translation>
    </message>
    <message>
        <source>Show the whole step</source>
        <translation>显示整步</translation>
    </message>
    <message>
        <source>Copy the sums</source>
        <translation>复制合计</translation>
    </message>
    <message>
        <source>Writing %1...</source>
        <translation>正在写入 %1……</translation>
    </message>
    <message>
        <source>%1 was written. Open it in Perfetto.</source>
        <translation>%1 已写好，可用 Perfetto 打开。</translation>
    </message>
    <message>
        <source>Close the trace or the chosen step, and show the newest step of the running task</source>
        <translation>关闭跟踪文件或所选的步，显示运行中任务最新的步</translation>
    </message>
    <message>
        <source>F forward · B backward · W weight gradients · O optimizer · D data · E evaluation · hatched: on the wire · thin line: idle. Drag, Shift and arrows: sum a range. Wheel: zoom. Shift and drag: move. 0: the whole step</source>
        <translation>F 前向 · B 反向 · W 权重梯度 · O 优化器 · D 数据 · E 验证 · 斜线：传输中 · 细线：空闲。拖动，或 Shift 加方向键：统计一段范围。滚轮：缩放。按住 Shift 拖动：移动。0：整步</translation>
    </message>
    <message>
        <source>Data, evaluation</source>
        <translation>数据、验证</translation>
    </message>
    <message>
        <source>A data unit reads and prepares data; a stage evaluates</source>
        <translation>数据单元读取并准备数据；阶段进行验证</translation>
    </message>
    <message>
        <source>Waits for a tensor that is being sent, or for a tensor slot; a dash if the plan is unknown</source>
        <translation>等待已算出、正在途中的张量，或等待张量槽位；不知道所运行的方案时为短横线</translation>
    </message>
    <message>
        <source>Waits while other instances still compute; includes all waits if the plan is unknown</source>
        <translation>其他实例仍在计算时的等待；不知道所运行的方案时为全部等待</translation>
    </message>
</context>
<context>
    <name>divisi::topology::DrainMenu</name>
    <message>
        <source>Take instances again</source>
        <translation>重新接收实例</translation>
    </message>
    <message>
        <source>Drain node</source>
        <translation>排空节点</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>divisi::shell::Guide</name>
    <message>
        <source>Menu %1: %2</source>
        <translation>菜单“%1”：%2</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Not done yet</source>
        <translation>尚未完成</translation>
    </message>
    <message>
        <source>This cluster does not allow injected faults. A cluster that is started on this machine, in the File menu, does.</source>
        <translation>此集群不接受故障注入。用“文件”菜单在本机启动的集群接受。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::GuideStrip</name>
    <message>
        <source>Guide</source>
        <translation>向导</translation>
    </message>
    <message>
        <source>Do it</source>
        <translation>执行</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
</context>
<context>
    <name>divisi::shell::Presenter</name>
    <message>
        <source>Presenter mode: %1 or Esc leaves it, Alt shows the menu</source>
        <translation>演示模式：按 %1 或 Esc 退出，按 Alt 显示菜单</translation>
    </message>
    <message>
        <source>No scenario is under way in presenter mode.</source>
        <translation>演示模式中没有正在进行的向导。</translation>
    </message>
    <message>
        <source>This is the last step.</source>
        <translation>这是最后一步。</translation>
    </message>
    <message>
        <source>This is the first step.</source>
        <translation>这是第一步。</translation>
    </message>
    <message>
        <source>Notes need presenter mode.</source>
        <translation>备注用于演示模式。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::SpeakerNotes</name>
    <message>
        <source>Speaker notes</source>
        <translation>演讲者备注</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>No scenario is under way</source>
        <translation>没有正在进行的向导</translation>
    </message>
    <message>
        <source>Start a scenario in the Help menu.</source>
        <translation>请在“帮助”菜单中开始一个向导。</translation>
    </message>
    <message>
        <source>This step has no notes.</source>
        <translation>这一步没有备注。</translation>
    </message>
    <message>
        <source>Next: %1</source>
        <translation>下一步：%1</translation>
    </message>
    <message>
        <source>This is the last step.</source>
        <translation>这是最后一步。</translation>
    </message>
</context>
<context>
    <name>divisi::graphview::LayoutNotice</name>
    <message>
        <source>Laying out %1 operators…</source>
        <translation>正在为 %1 个算子布局…</translation>
    </message>
    <message>
        <source>The graph is not laid out. Close scopes to lay out less, or use the score, which needs no layout.</source>
        <translation>图没有布局。请收起一些作用域以减少布局的内容，或使用不需要布局的总谱。</translation>
    </message>
    <message>
        <source>The graph stays as it was. Close scopes to lay out less, or use the score, which needs no layout.</source>
        <translation>图保持原样。请收起一些作用域以减少布局的内容，或使用不需要布局的总谱。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Keep the graph as it is (Esc)</source>
        <translation>保持图的现状（Esc）</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Restart the layout</source>
        <translation>重新开始布局</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>总谱</translation>
    </message>
    <message>
        <source>Show the operators of the model along their predicted time</source>
        <translation>沿预测时间显示模型</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>divisi::model::LiveNotes</name>
    <message>
        <source>the clocks of %1 machines were compared by their messages: times between two machines may be off by the network delay</source>
        <translation>%1 台机器的时钟是按其消息比较的：两台机器的泳道之间可能相差网络延迟</translation>
    </message>
    <message numerus="yes">
        <source>%Ln operations did not fit into their reports: sums omit them</source>
        <translation>
            <numerusform>%Ln 个操作在报告中放不下：求和不含它们</numerusform>
        </translation>
    </message>
    <message>
        <source>reports dropped in transit: %1</source>
        <translation>途中丢弃的报告：%1</translation>
    </message>
    <message>
        <source>measured in generation %1, before the re-cut; the prediction is for the current plan</source>
        <translation>它实测于第 %1 代，在重新切分之前：预测的是现在的方案</translation>
    </message>
</context>
<context>
    <name>divisi::client::Refusals</name>
    <message>
        <source>cannot %1: %2</source>
        <translation>无法%1：%2</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>a sentence in English, said by the cluster: frame it as a quotation</comment>
        <translation>原文（英文）：“%1”</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>where it is, and what is wrong there</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>what is wrong, and what to do next</comment>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>the model has no operators</source>
        <translation>模型没有算子</translation>
    </message>
    <message>
        <source>choose a model with at least one operator</source>
        <translation>请选择至少有一个算子的模型</translation>
    </message>
    <message>
        <source>cannot write: %1</source>
        <translation>无法写入：%1</translation>
    </message>
    <message>
        <source>choose another folder, or make room there</source>
        <translation>请选择其他文件夹，或在那里腾出空间</translation>
    </message>
    <message>
        <source>choose a file that can be read</source>
        <translation>请选择可以读取的文件</translation>
    </message>
    <message>
        <source>choose another folder or free some space</source>
        <translation>请选择其他文件夹或释放一些空间</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>没有打开的模型</translation>
    </message>
    <message>
        <source>open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>another version of the console wrote it</source>
        <translation>它来自其他版本的控制台</translation>
    </message>
    <message>
        <source>open it with that version</source>
        <translation>请用该版本打开</translation>
    </message>
    <message>
        <source>it contains no task</source>
        <translation>其中没有任务</translation>
    </message>
    <message>
        <source>open a task file</source>
        <translation>请打开任务文件</translation>
    </message>
    <message>
        <source>the cluster no longer knows this version</source>
        <translation>集群已不再有这个版本</translation>
    </message>
    <message>
        <source>choose another one</source>
        <translation>请选择其他版本</translation>
    </message>
    <message>
        <source>its weights were deleted</source>
        <translation>其权重已被释放</translation>
    </message>
    <message>
        <source>choose a version that is kept</source>
        <translation>请选择仍保留的版本</translation>
    </message>
    <message>
        <source>the cluster no longer has its task&apos;s text</source>
        <translation>集群已不再保存其任务的文本</translation>
    </message>
    <message>
        <source>the task trains other operators, or in another order, than shown</source>
        <translation>任务训练的算子或其顺序与图中所示不同</translation>
    </message>
    <message>
        <source>see &apos;divisictl plan&apos; for its prices</source>
        <translation>其价格见 &apos;divisictl plan&apos;</translation>
    </message>
    <message>
        <source>the trace is larger than 256 MiB</source>
        <translation>跟踪记录超过 256 MiB</translation>
    </message>
    <message>
        <source>trace fewer steps</source>
        <translation>请减少跟踪的步数</translation>
    </message>
    <message>
        <source>cannot read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>check its permissions</source>
        <translation>请检查其权限</translation>
    </message>
    <message>
        <source>no instance trace was found here</source>
        <translation>此处没有实例的跟踪记录</translation>
    </message>
    <message>
        <source>start the console or &apos;divisictl run&apos; with DIVISI_TRACE=FOLDER, and run a task</source>
        <translation>请以 DIVISI_TRACE=FOLDER 启动控制台或 &apos;divisictl run&apos;，再运行任务</translation>
    </message>
    <message>
        <source>the disk does not answer</source>
        <translation>磁盘没有响应</translation>
    </message>
    <message>
        <source>record to another disk</source>
        <translation>请录制到其他磁盘</translation>
    </message>
    <message>
        <source>is being recorded</source>
        <translation>正在录制</translation>
    </message>
    <message>
        <source>end this recording first</source>
        <translation>请先结束此录制</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a number of measurements</source>
        <translation>“%1”不是测量次数</translation>
    </message>
    <message>
        <source>record again: this file is damaged</source>
        <translation>请重新录制：此文件已损坏</translation>
    </message>
    <message>
        <source>a record of kind %1</source>
        <translation>有一条类型为 %1 的记录</translation>
    </message>
    <message>
        <source>open it with a newer version of Divisi</source>
        <translation>请用较新版本的 Divisi 打开</translation>
    </message>
    <message>
        <source>the recording holds messages of protocol %1; Divisi %2 speaks %3</source>
        <translation>录制使用协议 %1 的消息；Divisi %2 使用协议 %3</translation>
    </message>
    <message>
        <source>open it with Divisi %1, which wrote it</source>
        <translation>请用写下它的 Divisi %1 打开</translation>
    </message>
    <message>
        <source>not an export of receipts as CSV</source>
        <translation>不是以 CSV 导出的收据</translation>
    </message>
    <message>
        <source>check JSON lines with &apos;divisictl receipts verify&apos;</source>
        <translation>JSON 行请用 &apos;divisictl receipts verify&apos; 检查</translation>
    </message>
    <message>
        <source>there is no connection to a cluster</source>
        <translation>没有与集群的连接</translation>
    </message>
    <message>
        <source>the connection to the cluster was lost</source>
        <translation>与集群的连接已断开</translation>
    </message>
    <message>
        <source>try again later</source>
        <translation>请稍后重试</translation>
    </message>
    <message>
        <source>the cluster gave no answer to the re-cut</source>
        <translation>集群没有答复重新切分</translation>
    </message>
    <message>
        <source>see the logs</source>
        <translation>请查看日志</translation>
    </message>
    <message>
        <source>the cluster of this console was shut down</source>
        <translation>此控制台的集群已关闭</translation>
    </message>
    <message>
        <source>it is started again</source>
        <translation>正在重新启动</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有这个文件或文件夹</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是文件夹</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>文件系统为只读</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>读写错误</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>the cluster is shutting down</source>
        <translation>集群正在关闭</translation>
    </message>
    <message>
        <source>the orchestrator was restarted</source>
        <translation>编排器曾重新启动</translation>
    </message>
    <message>
        <source>its node does not know the instance</source>
        <translation>其节点不知道它</translation>
    </message>
    <message>
        <source>the process ended while its node was away</source>
        <translation>它在其节点不在线时结束</translation>
    </message>
    <message>
        <source>waiting for its nodes</source>
        <translation>等待其节点</translation>
    </message>
    <message>
        <source>waiting for its files</source>
        <translation>等待其文件</translation>
    </message>
    <message>
        <source>the rule is switched off</source>
        <translation>该规则已关闭</translation>
    </message>
    <message>
        <source>the node has left</source>
        <translation>节点已离开</translation>
    </message>
    <message>
        <source>the node does not exist</source>
        <translation>节点不在</translation>
    </message>
    <message>
        <source>the node is drained</source>
        <translation>节点已排空</translation>
    </message>
    <message>
        <source>the task is no longer known</source>
        <translation>任务已不再保存</translation>
    </message>
    <message>
        <source>node %1 is silent: %2</source>
        <translation>收不到节点 %1 的消息：%2</translation>
    </message>
    <message>
        <source>node %1 is silent</source>
        <translation>收不到节点 %1 的消息</translation>
    </message>
    <message>
        <source>check that its machine runs and can be reached, and start divisi-node there again; if it is lost permanently: divisictl drain %1</source>
        <translation>请确认其机器在运行且可达，并在那里重新启动 divisi-node；若已永久失去：divisictl drain %1</translation>
    </message>
    <message>
        <source>the node is back</source>
        <translation>节点已恢复</translation>
    </message>
    <message>
        <source>%1 tasks wait for nodes, more than %2</source>
        <translation>有 %1 个任务在等待节点，超过 %2 个</translation>
    </message>
    <message>
        <source>run &apos;divisictl queue&apos; to see what each waits for; add nodes, or stop tasks that are not needed</source>
        <translation>各任务在等待什么见 &apos;divisictl queue&apos;；请增加节点，或停止不需要的任务</translation>
    </message>
    <message>
        <source>%1 of %2 are free on the disk of %3, less than %4</source>
        <translation>%3的磁盘剩余 %1（共 %2），少于 %4</translation>
    </message>
    <message>
        <source>the orchestrator</source>
        <translation>编排器</translation>
    </message>
    <message>
        <source>free space where divisid keeps its data: the cluster stops without it</source>
        <translation>请在 divisid 的数据所在处释放空间：没有空间就无法继续</translation>
    </message>
    <message>
        <source>free space there, or start its divisi-node with a smaller --blob-gib</source>
        <translation>请在那里释放一些空间，或以较小的 --blob-gib 启动其 divisi-node</translation>
    </message>
    <message>
        <source>steps take %1 ms, more than %2 times the %3 ms before</source>
        <translation>每步用时 %1 ms，超过此前 %3 ms 的 %2 倍</translation>
    </message>
    <message>
        <source>run &apos;divisictl nodes&apos; and &apos;divisictl links --mesh&apos;, and read the log of its nodes; &apos;divisictl recut&apos; moves work elsewhere</source>
        <translation>忙碌之处见 &apos;divisictl nodes&apos;、&apos;divisictl links --mesh&apos; 和其节点的日志；&apos;divisictl recut&apos; 可把工作移到别处</translation>
    </message>
    <message>
        <source>steps take %1 ms</source>
        <translation>每步用时 %1 ms</translation>
    </message>
    <message>
        <source>its losses are numbers again</source>
        <translation>其损失又是数值了</translation>
    </message>
    <message>
        <source>the cuts in force are the best that were found</source>
        <translation>当前的切分是找到的最佳切分</translation>
    </message>
    <message>
        <source>the gain is below %1 of a step</source>
        <translation>收益低于每步的 %1</translation>
    </message>
    <message>
        <source>too few steps are left to compensate for the stall</source>
        <translation>剩余步数太少，抵不过停顿</translation>
    </message>
    <message>
        <source>the plan in force is younger than %1 minutes</source>
        <translation>当前计划生效不到 %1 分钟</translation>
    </message>
    <message>
        <source>the same advice must be given twice</source>
        <translation>建议须连续两次相同</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>task %1</source>
        <translation>任务 %1</translation>
    </message>
    <message>
        <source>cluster %1</source>
        <translation>集群 %1</translation>
    </message>
    <message>
        <source>killed by signal %1</source>
        <translation>被信号 %1 终止</translation>
    </message>
    <message>
        <source>exited with status %1</source>
        <translation>以状态 %1 退出</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>分段 %1</translation>
    </message>
</context>
<context>
    <name>EventLines</name>
    <message>
        <source>cluster %1 started</source>
        <translation>集群 %1 已启动</translation>
    </message>
    <message>
        <source>node %1 joined</source>
        <translation>节点 %1 加入</translation>
    </message>
    <message>
        <source>node %1 %2: %3</source>
        <translation>节点 %1 %2：%3</translation>
    </message>
    <message>
        <source>node %1 %2</source>
        <translation>节点 %1 %2</translation>
    </message>
    <message>
        <source>task %1 submitted by %2</source>
        <translation>%2 提交了任务 %1</translation>
    </message>
    <message>
        <source>task %1 planned: %2 in %3 stages, generation %4</source>
        <translation>任务 %1 已规划：%2，共 %3 个阶段，第 %4 代</translation>
    </message>
    <message>
        <source>instance %1 placed on %2</source>
        <translation>实例 %1 放在 %2 上</translation>
    </message>
    <message>
        <source>instance %1 %2: %3</source>
        <translation>实例 %1 %2：%3</translation>
    </message>
    <message>
        <source>instance %1 %2</source>
        <translation>实例 %1 %2</translation>
    </message>
    <message>
        <source>instance %1 registered</source>
        <translation>实例 %1 已注册</translation>
    </message>
    <message>
        <source>instance %1 prepared</source>
        <translation>实例 %1 已就绪</translation>
    </message>
    <message>
        <source>instance %1 stopped: %2</source>
        <translation>实例 %1 已停止：%2</translation>
    </message>
    <message>
        <source>instance %1 stopped</source>
        <translation>实例 %1 已停止</translation>
    </message>
    <message>
        <source>task %1: queued, %2</source>
        <translation>任务 %1：排队中，%2</translation>
    </message>
    <message>
        <source>task %1: termination and cleanup (%2)</source>
        <translation>任务 %1：终止与清理（%2）</translation>
    </message>
    <message>
        <source>task %1: termination and cleanup</source>
        <translation>任务 %1：终止与清理</translation>
    </message>
    <message>
        <source>reservation %1 made by %2 for task %3</source>
        <translation>%2 为任务 %3 建立了预留 %1</translation>
    </message>
    <message>
        <source>reservation %1 made by %2 for %3</source>
        <translation>%2 为 %3 建立了预留 %1</translation>
    </message>
    <message>
        <source>reservation %1 ended: %2</source>
        <translation>预留 %1 已结束：%2</translation>
    </message>
    <message>
        <source>task %1: %2 (%3)</source>
        <translation>任务 %1：%2（%3）</translation>
    </message>
    <message>
        <source>task %1: %2</source>
        <translation>任务 %1：%2</translation>
    </message>
    <message>
        <source>task %1 step %2 loss %3</source>
        <translation>任务 %1 第 %2 步，损失 %3</translation>
    </message>
    <message>
        <source>task %1 evaluated after step %2: loss %3, accuracy %4 %</source>
        <translation>任务 %1 在第 %2 步后验证：损失 %3，准确率 %4 %</translation>
    </message>
    <message>
        <source>task %1 evaluated after step %2: loss %3</source>
        <translation>任务 %1 在第 %2 步后验证：损失 %3</translation>
    </message>
    <message>
        <source>instance %1 stored its weights after step %2 (%3)</source>
        <translation>实例 %1 在第 %2 步后保存了权重（%3）</translation>
    </message>
    <message>
        <source>instance %1 stored its results after step %2 (%3)</source>
        <translation>实例 %1 在第 %2 步后保存了结果（%3）</translation>
    </message>
    <message>
        <source>task %1 %2: %3</source>
        <translation>任务 %1 %2：%3</translation>
    </message>
    <message>
        <source>task %1 %2</source>
        <translation>任务 %1 %2</translation>
    </message>
    <message>
        <source>task %1 is held until somebody releases it</source>
        <translation>任务 %1 已搁置，直到有人放行</translation>
    </message>
    <message>
        <source>task %1 was released</source>
        <translation>任务 %1 已放行</translation>
    </message>
    <message>
        <source>key of %1 revoked</source>
        <translation>%1 的密钥已撤销</translation>
    </message>
    <message>
        <source>key of %1 allowed as %2</source>
        <translation>%1 的密钥获准作为 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>link from %1 to %2 by %3 measured: %4 ms, %5 MB/s</source>
        <translation>已测量从 %1 到 %2 经 %3 的链路：%4 ms，%5 MB/s</translation>
    </message>
    <message>
        <source>lease %1 granted to %2: %3 on %4</source>
        <translation>租约 %1 授予 %2：%4 上的 %3</translation>
    </message>
    <message>
        <source>lease %1 of %2 activated by its first data, through %3</source>
        <translation>%2 的租约 %1 由其首批数据激活，经 %3</translation>
    </message>
    <message>
        <source>lease %1 of %2 activated</source>
        <translation>%2 的租约 %1 已激活</translation>
    </message>
    <message>
        <source>lease %1 of %2 finished: %3</source>
        <translation>%2 的租约 %1 使用完毕：%3</translation>
    </message>
    <message>
        <source>lease %1 of %2 finished</source>
        <translation>%2 的租约 %1 使用完毕</translation>
    </message>
    <message>
        <source>lease %1 of %2: consumption so far: %3 s of CPU</source>
        <translation>%2 的租约 %1 已用 CPU %3 秒</translation>
    </message>
    <message>
        <source>lease %1 of %2: consumption so far: not measured</source>
        <translation>%2 的租约 %1 的用量没有测量</translation>
    </message>
    <message>
        <source>lease %1 of %2 presumed reclaimed, receipt %3: %4 s of CPU</source>
        <translation>%2 的租约 %1 视为已收回，收据 %3：CPU %4 秒</translation>
    </message>
    <message>
        <source>lease %1 of %2 presumed reclaimed, receipt %3: not measured</source>
        <translation>%2 的租约 %1 视为已收回，收据 %3：没有测量</translation>
    </message>
    <message>
        <source>lease %1 of %2 reclaimed, receipt %3: %4 s of CPU</source>
        <translation>%2 的租约 %1 已收回，收据 %3：CPU %4 秒</translation>
    </message>
    <message>
        <source>lease %1 of %2 reclaimed, receipt %3: not measured</source>
        <translation>%2 的租约 %1 已收回，收据 %3：没有测量</translation>
    </message>
    <message>
        <source>lease %1 of %2 taken over by %3</source>
        <translation>%2 的租约 %1 由 %3 接续</translation>
    </message>
    <message>
        <source>checkpoint of task %1 after step %2: %3 snapshots, %4 MB</source>
        <translation>任务 %1 第 %2 步后的检查点：%3 个快照，%4 MB</translation>
    </message>
    <message>
        <source>checkpoint of task %1 after step %2: %3 snapshot, %4 MB</source>
        <translation>任务 %1 第 %2 步后的检查点：%3 个快照，%4 MB</translation>
    </message>
    <message>
        <source>task %1 continues after step %2 as generation %3: %4</source>
        <translation>任务 %1 从第 %2 步之后继续，作为第 %3 代：%4</translation>
    </message>
    <message>
        <source>task %1 continues from its beginning as generation %2: %3</source>
        <translation>任务 %1 从头继续，作为第 %2 代：%3</translation>
    </message>
    <message>
        <source>exception %1: task %2 failed for good, not recovered: %3</source>
        <translation>异常 %1：任务 %2 最终失败，未曾恢复：%3</translation>
    </message>
    <message>
        <source>exception %1: task %2 failed for good, recovered once: %3</source>
        <translation>异常 %1：任务 %2 最终失败，恢复过一次：%3</translation>
    </message>
    <message>
        <source>exception %1: task %2 failed for good, recovered %3 times: %4</source>
        <translation>异常 %1：任务 %2 最终失败，恢复过 %3 次：%4</translation>
    </message>
    <message>
        <source>exception %1 of task %2 was %3 by %4</source>
        <translation>任务 %2 的异常 %1：%3，由 %4</translation>
    </message>
    <message>
        <source>exception %1 of task %2 was %3</source>
        <translation>任务 %2 的异常 %1：%3</translation>
    </message>
    <message>
        <source>task %1 re-cut by %2 after step %3: %4 stages, generation %5, plan %6 instead of %7</source>
        <translation>%2 在第 %3 步后重新切分了任务 %1：%4 个阶段，第 %5 代，计划 %6 取代 %7</translation>
    </message>
    <message>
        <source>task %1 re-cut by %2 after step %3: %4 stage, generation %5, plan %6 instead of %7</source>
        <translation>%2 在第 %3 步后重新切分了任务 %1：%4 个阶段，第 %5 代，计划 %6 取代 %7</translation>
    </message>
    <message>
        <source>task %1 re-cut after step %2: %3 stages, generation %4, plan %5 instead of %6</source>
        <translation>任务 %1 在第 %2 步后重新切分：%3 个阶段，第 %4 代，计划 %5 取代 %6</translation>
    </message>
    <message>
        <source>task %1 re-cut after step %2: %3 stage, generation %4, plan %5 instead of %6</source>
        <translation>任务 %1 在第 %2 步后重新切分：%3 个阶段，第 %4 代，计划 %5 取代 %6</translation>
    </message>
    <message>
        <source>task %1 moved for %2 after step %3: its stages are on %4, generation %5</source>
        <translation>任务 %1 在第 %3 步后为 %2 迁移：各阶段在 %4 上，第 %5 代</translation>
    </message>
    <message>
        <source>task %1 moved after step %2: its stages are on %3, generation %4</source>
        <translation>任务 %1 在第 %2 步后迁移：各阶段在 %3 上，第 %4 代</translation>
    </message>
    <message>
        <source>node %1 is being drained, for %2</source>
        <translation>节点 %1 将被排空，由 %2</translation>
    </message>
    <message>
        <source>node %1 is being drained</source>
        <translation>节点 %1 将被排空</translation>
    </message>
    <message>
        <source>node %1 accepts instances again, for %2</source>
        <translation>节点 %1 重新接收实例，由 %2</translation>
    </message>
    <message>
        <source>node %1 accepts instances again</source>
        <translation>节点 %1 重新接收实例</translation>
    </message>
    <message>
        <source>version %1 of %2: checkpoint of task %3 after step %4, named %5, from version %6, hash %7 (%8)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后的检查点，名为 %5，来自版本 %6，哈希 %7（%8）</translation>
    </message>
    <message>
        <source>version %1 of %2: checkpoint of task %3 after step %4, named %5, hash %6 (%7)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后的检查点，名为 %5，哈希 %6（%7）</translation>
    </message>
    <message>
        <source>version %1 of %2: checkpoint of task %3 after step %4, from version %5, hash %6 (%7)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后的检查点，来自版本 %5，哈希 %6（%7）</translation>
    </message>
    <message>
        <source>version %1 of %2: checkpoint of task %3 after step %4, hash %5 (%6)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后的检查点，哈希 %5（%6）</translation>
    </message>
    <message>
        <source>version %1 of %2: task %3 after step %4, named %5, from version %6, hash %7 (%8)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后，名为 %5，来自版本 %6，哈希 %7（%8）</translation>
    </message>
    <message>
        <source>version %1 of %2: task %3 after step %4, named %5, hash %6 (%7)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后，名为 %5，哈希 %6（%7）</translation>
    </message>
    <message>
        <source>version %1 of %2: task %3 after step %4, from version %5, hash %6 (%7)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后，来自版本 %5，哈希 %6（%7）</translation>
    </message>
    <message>
        <source>version %1 of %2: task %3 after step %4, hash %5 (%6)</source>
        <translation>%2 的版本 %1：任务 %3 第 %4 步后，哈希 %5（%6）</translation>
    </message>
    <message>
        <source>version %1 of task %2 was %3; its weights were deleted</source>
        <translation>任务 %2 的版本 %1：%3；其权重已释放</translation>
    </message>
    <message>
        <source>alert %1, %2: task %3: %4</source>
        <translation>警报 %1，%2：任务 %3：%4</translation>
    </message>
    <message>
        <source>alert %1, %2: %3</source>
        <translation>警报 %1，%2：%3</translation>
    </message>
    <message>
        <source>alert %1 is cleared: %2</source>
        <translation>警报 %1 已解除：%2</translation>
    </message>
    <message>
        <source>%1 %2 joined the mesh, linked with %3</source>
        <translation>%1 %2 加入网格，相邻：%3</translation>
    </message>
    <message>
        <source>%1 %2 joined the mesh</source>
        <translation>%1 %2 加入网格</translation>
    </message>
    <message>
        <source>%1, incarnation %2, is registered as %3, and silent</source>
        <translation>%1（第 %2 个进程）已注册为%3，且无响应</translation>
    </message>
    <message>
        <source>%1, incarnation %2, is registered as %3</source>
        <translation>%1（第 %2 个进程）已注册为%3</translation>
    </message>
    <message>
        <source>%1 is no longer registered</source>
        <translation>%1 不再注册</translation>
    </message>
    <message>
        <source>the lease of %1 is %2</source>
        <translation>%1 的租约：%2</translation>
    </message>
    <message>
        <source>%1 left the mesh</source>
        <translation>%1 离开网格</translation>
    </message>
    <message>
        <source>receipts are signed with the key %1</source>
        <translation>收据用密钥 %1 签名</translation>
    </message>
    <message>
        <source>policy %1 by %2: %3, because %4</source>
        <translation>策略 %1，由 %2：%3，原因：%4</translation>
    </message>
    <message>
        <source>policy %1 by %2: %3</source>
        <translation>策略 %1，由 %2：%3</translation>
    </message>
    <message>
        <source>advice to re-cut task %1: %2; it is followed</source>
        <translation>重新切分任务 %1 的建议：%2；已采纳</translation>
    </message>
    <message>
        <source>advice to re-cut task %1: %2; not followed: %3</source>
        <translation>重新切分任务 %1 的建议：%2；未采纳：%3</translation>
    </message>
    <message>
        <source>advice to re-cut task %1: %2</source>
        <translation>重新切分任务 %1 的建议：%2</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>left</source>
        <translation>已离开</translation>
    </message>
    <message>
        <source>away</source>
        <translation>暂离</translation>
    </message>
    <message>
        <source>placed</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>registered</source>
        <translation>已注册</translation>
    </message>
    <message>
        <source>prepared</source>
        <translation>已就绪</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>待命</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>registration and path configuration</source>
        <translation>注册与路径配置</translation>
    </message>
    <message>
        <source>data exchange</source>
        <translation>数据交换</translation>
    </message>
    <message>
        <source>telemetry and feedback</source>
        <translation>遥测与反馈</translation>
    </message>
    <message>
        <source>policy update</source>
        <translation>策略更新</translation>
    </message>
    <message>
        <source>exception handling</source>
        <translation>异常处理</translation>
    </message>
    <message>
        <source>termination and cleanup</source>
        <translation>终止与清理</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>waiting for its nodes</source>
        <translation>等待其节点</translation>
    </message>
    <message>
        <source>waiting for its files</source>
        <translation>等待其文件</translation>
    </message>
    <message>
        <source>slow training</source>
        <translation>训练缓慢</translation>
    </message>
    <message>
        <source>node silent</source>
        <translation>节点无响应</translation>
    </message>
    <message>
        <source>queue long</source>
        <translation>队列过长</translation>
    </message>
    <message>
        <source>disk short</source>
        <translation>磁盘不足</translation>
    </message>
    <message>
        <source>loss not finite</source>
        <translation>损失不是有限数</translation>
    </message>
    <message>
        <source>gateway</source>
        <translation>网关</translation>
    </message>
    <message>
        <source>router</source>
        <translation>路由器</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>active</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>draining</source>
        <translation>排空中</translation>
    </message>
    <message>
        <source>faulted</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>held</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>过期保留</translation>
    </message>
    <message>
        <source>lapsed</source>
        <translation>已失效</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>已丢弃</translation>
    </message>
    <message>
        <source>retried</source>
        <translation>已重试</translation>
    </message>
    <message>
        <source>somebody</source>
        <translation>某人</translation>
    </message>
</context>
<context>
    <name>divisi::model::Measuring</name>
    <message>
        <source>This machine cannot measure the operators of %1: it has no device of that type. Open the console on such a machine to measure them.</source>
        <translation>本机无法实测 %1 的算子：没有该类设备。请在有此类设备的机器上打开控制台进行实测。</translation>
    </message>
    <message>
        <source>The cluster file states the speed of %1. Prices use this speed, so measuring would change nothing.</source>
        <translation>集群文件已写明 %1 的速度：估价以此为准，实测不会改变。</translation>
    </message>
</context>
<context>
    <name>divisi::model::Ranges</name>
    <message>
        <source>samples</source>
        <translation>个样本</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>个类别</translation>
    </message>
    <message>
        <source>batches</source>
        <translation>批</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>个线程</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>个进程</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>个检查点</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>个微批</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>features</source>
        <translation>个特征</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>个头</translation>
    </message>
    <message>
        <source>channels</source>
        <translation>个通道</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>个词元</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>大于 %1</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>不小于 %1</translation>
    </message>
    <message>
        <source>%1 to below %2</source>
        <translation>%1 到小于 %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>numbers, and their unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1. Range: %2</source>
        <comment>a word of help, and which values there are</comment>
        <translation>%1。范围：%2</translation>
    </message>
</context>
<context>
    <name>divisi::model::ReportTexts</name>
    <message>
        <source>The prices were measured: other programs may have kept the machines busy during the run, or links are slower than predicted. &quot;Predicted and measured&quot; in Plans shows which stage it was.</source>
        <translation>估价经过实测：运行时可能有其他程序占用机器，或链路比估价的慢。“方案”中的“预测与实测”会指出是哪个阶段。</translation>
    </message>
    <message>
        <source>The prices were measured: the machines may have been busy during the measurement. &quot;Predicted and measured&quot; in Plans shows which stage it was.</source>
        <translation>估价经过实测：实测时机器可能正忙。“方案”中的“预测与实测”会指出是哪个阶段。</translation>
    </message>
    <message>
        <source>Only %1 of the prices comes from measurements.</source>
        <translation>其中只有 %1 经过实测。</translation>
    </message>
    <message>
        <source>The prices were not measured.</source>
        <translation>它们未经实测。</translation>
    </message>
    <message>
        <source>&quot;Measure operators&quot; in the Task menu makes the prices accurate.</source>
        <translation>“任务”菜单中的“实测算子”可使其准确。</translation>
    </message>
    <message>
        <source>Open the task&apos;s model; &quot;Measure operators&quot; in the Task menu then makes the prices accurate.</source>
        <translation>请打开其模型，再用“任务”菜单中的“实测算子”使其准确。</translation>
    </message>
    <message>
        <source>Your prices are %1 too low.</source>
        <translation>您的估价偏低 %1。</translation>
    </message>
    <message>
        <source>Your prices are %1 too high.</source>
        <translation>您的估价偏高 %1。</translation>
    </message>
</context>
<context>
    <name>divisi::model::Works</name>
    <message>
        <source>load micro-batch %1 of step %2</source>
        <translation>加载第 %2 步的微批 %1</translation>
    </message>
    <message>
        <source>preprocess micro-batch %1 of step %2</source>
        <translation>预处理第 %2 步的微批 %1</translation>
    </message>
    <message>
        <source>data %1 of step %2</source>
        <translation>第 %2 步微批 %1 的数据</translation>
    </message>
    <message>
        <source>forward %1 of step %2</source>
        <translation>第 %2 步微批 %1 前向</translation>
    </message>
    <message>
        <source>backward %1 of step %2</source>
        <translation>第 %2 步微批 %1 反向</translation>
    </message>
    <message>
        <source>evaluate micro-batch %1 of step %2</source>
        <translation>验证第 %2 步的微批 %1</translation>
    </message>
    <message>
        <source>share gradients of step %1</source>
        <translation>交换第 %1 步的梯度</translation>
    </message>
    <message>
        <source>finish gradients of step %1</source>
        <translation>汇总第 %1 步的梯度</translation>
    </message>
    <message>
        <source>optimizer of step %1</source>
        <translation>第 %1 步的优化器</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
</context>
<context>
    <name>Zoo</name>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道数</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图像尺寸</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表大小</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>共享嵌入权重</translation>
    </message>
    <message>
        <source>Patch</source>
        <translation>图块尺寸</translation>
    </message>
    <message>
        <source>fully connected layers with ReLU</source>
        <translation>带 ReLU 的全连接层</translation>
    </message>
    <message>
        <source>LeNet-5 for small images, with ReLU and max pooling</source>
        <translation>用于小图像的 LeNet-5，带 ReLU 和最大池化</translation>
    </message>
    <message>
        <source>ResNet-18 with batch normalization; image 224, classes 1000 is the original</source>
        <translation>带批归一化的 ResNet-18；原始设置为图像尺寸 224、类别数 1000</translation>
    </message>
    <message>
        <source>GPT-2 style language model over bytes</source>
        <translation>按字节处理的 GPT-2 式语言模型</translation>
    </message>
    <message>
        <source>vision transformer; image 224, patch 16, layers 12, width 768, heads 12, classes 1000 is ViT-B/16</source>
        <translation>视觉 Transformer；图像尺寸 224、图块尺寸 16、层数 12、宽度 768、头数 12、类别数 1000 即为 ViT-B/16</translation>
    </message>
    <message>
        <source>a shared backbone with one branch per task head</source>
        <translation>共享主干，每个任务头各有一个分支</translation>
    </message>
    <message>
        <source>number of layers or blocks</source>
        <translation>层数或块数</translation>
    </message>
    <message>
        <source>features of a layer</source>
        <translation>一层的特征数</translation>
    </message>
    <message>
        <source>attention heads; divides width</source>
        <translation>注意力头数；须整除宽度</translation>
    </message>
    <message>
        <source>features of a sample</source>
        <translation>一个样本的特征数</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>输出数</translation>
    </message>
    <message>
        <source>colour channels of an image</source>
        <translation>图像的颜色通道数</translation>
    </message>
    <message>
        <source>height and width of an image in pixels</source>
        <translation>图像的高和宽（像素）</translation>
    </message>
    <message>
        <source>channels after the first convolution</source>
        <translation>首个卷积之后的通道数</translation>
    </message>
    <message>
        <source>tokens of a sample</source>
        <translation>一个样本的词元数</translation>
    </message>
    <message>
        <source>distinct tokens</source>
        <translation>不同词元的数目</translation>
    </message>
    <message>
        <source>1: input and output embedding are one weight</source>
        <translation>1：输入嵌入与输出嵌入共用一个权重</translation>
    </message>
    <message>
        <source>height and width of a patch; divides image</source>
        <translation>图块的高和宽；须整除图像尺寸</translation>
    </message>
    <message>
        <source>task heads</source>
        <translation>任务头数</translation>
    </message>
</context>
<context>
    <name>divisi::shell::GraphKeys</name>
    <message>
        <source>This key works in the model graph, which is not on screen; %1 shows the model graph</source>
        <translation>此键用于模型图，而模型图不在屏幕上；按 %1 可显示它</translation>
    </message>
</context>
<context>
    <name>divisi::shell::MomentBar</name>
    <message>
        <source>Pause: all views with history stay at this moment (Ctrl+Space)</source>
        <translation>暂停：所有保留过去的视图停在这一时刻（Ctrl+Space）</translation>
    </message>
    <message>
        <source>Play from this moment (Ctrl+Space)</source>
        <translation>从这一时刻播放（Ctrl+Space）</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>From %1, the earliest moment kept, to now. Drag the handle, or use the arrows, Page Up and Page Down; at the right end the window is live</source>
        <translation>从 %1（保留的最早时刻）到现在。可拖动，或用方向键、Page Up 和 Page Down；在末端则全部为实时</translation>
    </message>
    <message>
        <source>The moment shown</source>
        <translation>所显示的时刻</translation>
    </message>
    <message>
        <source>Back to now (Ctrl+L)</source>
        <translation>返回当前（Ctrl+L）</translation>
    </message>
    <message>
        <source>Back to now</source>
        <translation>返回当前</translation>
    </message>
</context>
<context>
    <name>divisi::shell::RecentFiles</name>
    <message>
        <source>No file was opened yet.</source>
        <translation>尚未打开过文件。</translation>
    </message>
</context>
<context>
    <name>divisi::shell::PredictionReports</name>
    <message>
        <source>Task %1: %2</source>
        <translation>任务 %1：%2</translation>
    </message>
    <message>
        <source>Measure…</source>
        <translation>实测…</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>divisi::shell::TableMenu</name>
    <message>
        <source>Show %1 in</source>
        <translation>在其他视图中显示 %1</translation>
    </message>
    <message>
        <source>Go to this &amp;moment</source>
        <translation>转到此时刻(&amp;M)</translation>
    </message>
    <message>
        <source>Show the window as it was at %1</source>
        <translation>按 %1 时的情形显示此窗口</translation>
    </message>
    <message>
        <source>This window keeps data from %1 on, but this moment is earlier.</source>
        <translation>此窗口保留自 %1 起收到的内容；该时刻更早。</translation>
    </message>
    <message>
        <source>The recording begins at %1, but this moment is earlier.</source>
        <translation>录制从 %1 开始；该时刻更早。</translation>
    </message>
</context>
<context>
    <name>divisi::timeline::LiveSpans</name>
    <message>
        <source>step %1 was not measured: only some steps are measured, and only while the task runs and this view is open</source>
        <translation>第 %1 步未实测：任务运行且本视图显示时，只实测部分步</translation>
    </message>
</context>
<context>
    <name>divisi::model::UnitGraph</name>
    <message>
        <source>Task units appear here; before a run, the units of the plan. Open a model to see them.</source>
        <translation>这里显示任务单元，运行前显示其方案的任务单元。请先打开模型。</translation>
    </message>
    <message>
        <source>The task has no plan: %1</source>
        <translation>任务没有方案：%1</translation>
    </message>
</context>
<context>
    <name>errors</name>
    <message>
        <source>no ready node is called &apos;%1&apos;</source>
        <translation>没有名为“%1”的就绪节点</translation>
    </message>
    <message>
        <source>ready nodes: %2</source>
        <translation>就绪的节点：%2</translation>
    </message>
    <message>
        <source>no node is ready</source>
        <translation>没有就绪的节点</translation>
    </message>
    <message>
        <source>start a node agent (divisi-node), or look at &apos;divisictl nodes&apos;</source>
        <translation>请启动节点代理（divisi-node），或查看 &apos;divisictl nodes&apos;</translation>
    </message>
    <message>
        <source>every node that the task may use is absent or drained</source>
        <translation>任务可用的节点中没有就绪且未腾空的</translation>
    </message>
    <message>
        <source>the node is ending</source>
        <translation>节点正在结束</translation>
    </message>
    <message>
        <source>submit the task again when the node agent was started again</source>
        <translation>请在它结束后重新提交任务</translation>
    </message>
    <message>
        <source>submit the task again when this instance has ended</source>
        <translation>请在它结束后重新提交任务</translation>
    </message>
    <message>
        <source>the instance runs already</source>
        <translation>实例已在运行</translation>
    </message>
    <message>
        <source>its node is ending</source>
        <translation>其节点正在结束</translation>
    </message>
    <message>
        <source>submit the task again when the node is back</source>
        <translation>请在节点恢复后重新提交任务</translation>
    </message>
    <message>
        <source>the instance does not train</source>
        <translation>实例没有在训练</translation>
    </message>
    <message>
        <source>order a checkpoint while the task runs</source>
        <translation>请在任务运行时生成检查点</translation>
    </message>
    <message>
        <source>ask for the re-cut while the task trains</source>
        <translation>请在任务训练时重新切分</translation>
    </message>
    <message>
        <source>no such task</source>
        <translation>没有这个任务</translation>
    </message>
    <message>
        <source>this is the name of %1; give the id</source>
        <translation>这是 %1 的名称；请给出 id</translation>
    </message>
    <message>
        <source>register each process once, over a connection of its own</source>
        <translation>一个进程通过自己的连接只注册一次</translation>
    </message>
    <message>
        <source>register with the key of the connection</source>
        <translation>请用连接所用的密钥注册</translation>
    </message>
    <message>
        <source>the key of &apos;%1&apos; is not allowed to register as this node</source>
        <translation>“%1”的密钥无权注册为此节点</translation>
    </message>
    <message>
        <source>use the node&apos;s own key, or allow this key under the node&apos;s name: divisictl keys add &apos;%2&apos; --name %3 --role agent</source>
        <translation>请使用该节点自己的密钥，或以其名称允许此密钥：divisictl keys add &apos;%2&apos; --name %3 --role agent</translation>
    </message>
    <message>
        <source>another node agent has this name</source>
        <translation>另一个节点代理已使用此名称</translation>
    </message>
    <message>
        <source>give each node of the cluster file a name of its own</source>
        <translation>请为集群文件中的每个节点取各自的名称</translation>
    </message>
    <message>
        <source>the instance does not serve %1</source>
        <translation>实例并不担任 %1</translation>
    </message>
    <message>
        <source>the instance uses the key of &apos;%1&apos; instead of the key of node %2</source>
        <translation>“%1”的密钥不是节点 %2 的密钥</translation>
    </message>
    <message>
        <source>give the instance the key of the node that started it</source>
        <translation>实例使用启动它的节点的密钥连接</translation>
    </message>
    <message>
        <source>end this process: only one process may serve a SID in a generation</source>
        <translation>一代中只有一个进程可以担任一个 SID</translation>
    </message>
    <message>
        <source>the orchestrator does not accept the message %1</source>
        <translation>编排器不接受 %1</translation>
    </message>
    <message>
        <source>check that both sides run the same version</source>
        <translation>请检查双方版本是否相同</translation>
    </message>
    <message>
        <source>the message %1 arrived before hello</source>
        <translation>%1 出现在 hello 之前</translation>
    </message>
    <message>
        <source>send hello first</source>
        <translation>请先发送 hello</translation>
    </message>
    <message>
        <source>the role %1 is not allowed to %2</source>
        <translation>角色 %1 无权执行此操作（%2）</translation>
    </message>
    <message>
        <source>ask an admin of the cluster for another role</source>
        <translation>请向集群管理员申请其他角色</translation>
    </message>
    <message>
        <source>the message %1 must come from %2, not from this sender</source>
        <translation>消息 %1 须由 %2 发出，而不是由该发送者</translation>
    </message>
    <message>
        <source>only %2 itself may send this message</source>
        <translation>只有 %2 自己可以这样说</translation>
    </message>
    <message>
        <source>the path has more than %1 bytes</source>
        <translation>路径不超过 %1 字节</translation>
    </message>
    <message>
        <source>name a folder with a shorter path</source>
        <translation>请指定其他文件夹</translation>
    </message>
    <message>
        <source>the key does not permit the role %1</source>
        <translation>此密钥不能以 %1 身份连接</translation>
    </message>
    <message>
        <source>the role of the key is %2; use a key with the required role</source>
        <translation>其角色为 %2；请使用具有所需角色的密钥</translation>
    </message>
    <message>
        <source>no such key</source>
        <translation>没有这个密钥</translation>
    </message>
    <message>
        <source>list all keys with &apos;divisictl keys&apos;; to revoke a key of the cluster file, remove it from that file</source>
        <translation>可用 &apos;divisictl keys&apos; 列出；集群文件中的密钥在文件中移除</translation>
    </message>
    <message>
        <source>its key was revoked</source>
        <translation>其密钥已撤销</translation>
    </message>
    <message>
        <source>ask an admin of the cluster</source>
        <translation>请联系集群管理员</translation>
    </message>
    <message>
        <source>the key now has another role or name</source>
        <translation>其密钥现在的角色或名称已变</translation>
    </message>
    <message>
        <source>this connection already watches the spans of %1 tasks, which is the limit</source>
        <translation>已在观测 %1 个任务的时间段</translation>
    </message>
    <message>
        <source>watch fewer tasks at a time</source>
        <translation>请减少同时观测的任务</translation>
    </message>
    <message>
        <source>page %1 of the snapshot is no longer kept</source>
        <translation>第 %1 页未保留</translation>
    </message>
    <message>
        <source>subscribe again</source>
        <translation>请重新订阅</translation>
    </message>
    <message>
        <source>the name of the store is too long</source>
        <translation>没有名称这么长的存储</translation>
    </message>
    <message>
        <source>list the stores again from the first one</source>
        <translation>请从第一个开始</translation>
    </message>
    <message>
        <source>the name of the SID or of the table is too long</source>
        <translation>没有名称这么长的 SID 或表</translation>
    </message>
    <message>
        <source>list the SIDs with &apos;divisictl stores&apos;</source>
        <translation>请用 &apos;divisictl stores&apos; 列出 SID</translation>
    </message>
    <message>
        <source>list all nodes with &apos;divisictl nodes&apos;</source>
        <translation>可用 &apos;divisictl nodes&apos; 列出全部节点</translation>
    </message>
    <message>
        <source>too many requests to state stores wait for an answer</source>
        <translation>等待应答的状态存储查询过多</translation>
    </message>
    <message>
        <source>ask again when some of them have been answered</source>
        <translation>请在得到应答后重试</translation>
    </message>
    <message>
        <source>the node went away before it answered</source>
        <translation>节点在应答之前离线</translation>
    </message>
    <message>
        <source>the node does not answer</source>
        <translation>节点没有应答</translation>
    </message>
    <message>
        <source>check the load of its machine and its disk</source>
        <translation>请查看其计算机的负载和磁盘</translation>
    </message>
    <message>
        <source>a device cannot be its own neighbour</source>
        <translation>设备不能与自己相邻</translation>
    </message>
    <message>
        <source>a rate must be a number of bytes per second, or 0 for no limit</source>
        <translation>速率为每秒字节数，0 表示不限</translation>
    </message>
    <message>
        <source>the loss is %1</source>
        <translation>损失为 %1</translation>
    </message>
    <message>
        <source>look for extreme values in the data, or in the model&apos;s first weights</source>
        <translation>请检查数据或模型初始权重中的极端值</translation>
    </message>
    <message>
        <source>lower train.lr, warm up (train.warmup_steps), set train.clip, or look for extreme values in the data</source>
        <translation>请降低 train.lr、预热（train.warmup_steps）、设置 train.clip，或检查数据中的极端值</translation>
    </message>
    <message>
        <source>the validation loss is %1</source>
        <translation>验证损失为 %1</translation>
    </message>
    <message>
        <source>weight &apos;%1&apos; contains NaN or infinite values</source>
        <translation>权重“%1”含有 nan 或无穷大的数</translation>
    </message>
    <message>
        <source>a share must be a whole percentage from 0 to 100</source>
        <translation>份额是 0 到 100 的整数百分比</translation>
    </message>
    <message>
        <source>write e.g. share:mg-1:mg-2=40: of 100 tensors, 40 use the first path</source>
        <translation>请写成例如 share:mg-1:mg-2=40：100 个张量中有 40 个走第一条路径</translation>
    </message>
    <message>
        <source>a rate must be from 1 MB/s to 1 TB/s, or none</source>
        <translation>速率为 1 MB/s 至 1 TB/s，或 none</translation>
    </message>
    <message>
        <source>write e.g. mic-rate:mg-1=200MB/s or task-rate=none</source>
        <translation>请写成例如 mic-rate:mg-1=200MB/s 或 task-rate=none</translation>
    </message>
    <message>
        <source>the retry budget must be a whole number of repeated set-ups per second from 1 to 1000000, or none</source>
        <translation>重试预算是每秒建立次数，为 1 到 1000000 的整数，或 none</translation>
    </message>
    <message>
        <source>write e.g. retries=10</source>
        <translation>请写成例如 retries=10</translation>
    </message>
    <message>
        <source>the number of failures that open a breaker must be a whole number from 1 to 100</source>
        <translation>断路器在失败若干次后断开，次数为 1 到 100 的整数</translation>
    </message>
    <message>
        <source>write e.g. breaker=3</source>
        <translation>请写成例如 breaker=3</translation>
    </message>
    <message>
        <source>the time must be from 500 ms to 3600 s</source>
        <translation>断路器的时间为 500 ms 到 3600 s</translation>
    </message>
    <message>
        <source>write e.g. %1=30s, with ms or s</source>
        <translation>请写成例如 %1=30s，单位为 ms 或 s</translation>
    </message>
    <message>
        <source>the alarm threshold must be a whole number from 1 to 1000000</source>
        <translation>设备在累计若干次后立即报告，次数为 1 到 1000000 的整数</translation>
    </message>
    <message>
        <source>write e.g. %1=16</source>
        <translation>请写成例如 %1=16</translation>
    </message>
    <message>
        <source>the alarm threshold for latency must be from 1 ms to 60 s</source>
        <translation>立即报告的延迟为 1 ms 到 60 s</translation>
    </message>
    <message>
        <source>write e.g. alarm-latency=500ms, with ms or s</source>
        <translation>请写成例如 alarm-latency=500ms，单位为 ms 或 s</translation>
    </message>
    <message>
        <source>the time after which a full buffer is reported must be from 100 ms to 60 s</source>
        <translation>缓冲区持续占满 100 ms 到 60 s 后报告</translation>
    </message>
    <message>
        <source>write e.g. alarm-full=1s, with ms or s</source>
        <translation>请写成例如 alarm-full=1s，单位为 ms 或 s</translation>
    </message>
    <message>
        <source>a window must be from 1 MiB (one chunk) to 1 GiB</source>
        <translation>窗口为 1 MiB（即一个分块）到 1 GiB</translation>
    </message>
    <message>
        <source>write e.g. window=16MiB</source>
        <translation>请写成例如 window=16MiB</translation>
    </message>
    <message>
        <source>the value must be on or off</source>
        <translation>只能是 on 或 off</translation>
    </message>
    <message>
        <source>write e.g. adapt=on or adapt=off</source>
        <translation>请写成例如 adapt=on 或 adapt=off</translation>
    </message>
    <message>
        <source>there is no such balancing rule</source>
        <translation>没有这个规则</translation>
    </message>
    <message>
        <source>write balancing=RULE, where RULE is round-robin, least-outstanding, weighted or two-choices</source>
        <translation>请写 balancing= 加上 round-robin、least-outstanding、weighted 或 two-choices</translation>
    </message>
    <message>
        <source>the value is either allow or deny</source>
        <translation>它要么允许，要么拒绝</translation>
    </message>
    <message>
        <source>write e.g. send:mic-1/node-2:gpt-1=deny</source>
        <translation>请写成例如 send:mic-1/node-2:gpt-1=deny</translation>
    </message>
    <message>
        <source>the key must name one functional module, and at most one task</source>
        <translation>没有指定功能模块，或指定了多个任务</translation>
    </message>
    <message>
        <source>write module:NAME=off, or module:NAME:TASK=off for one task</source>
        <translation>请写 module:NAME=off；若只针对一个任务，请写 module:NAME:TASK=off</translation>
    </message>
    <message>
        <source>the key must name exactly one gateway, or none</source>
        <translation>没有指定网关，或指定了多个</translation>
    </message>
    <message>
        <source>name one gateway, as in mic-rate:mg-1=200MB/s, or name none to set all gateways</source>
        <translation>请指定一个，例如 mic-rate:mg-1=200MB/s；若针对所有网关，则不指定</translation>
    </message>
    <message>
        <source>the key must name exactly one gateway or router, or none</source>
        <translation>没有指定网关或路由器，或指定了多个</translation>
    </message>
    <message>
        <source>name one device, as in alarm-latency:sr-1=100ms, or name none to set all devices</source>
        <translation>请指定一个，例如 alarm-latency:sr-1=100ms；若针对全部，则不指定</translation>
    </message>
    <message>
        <source>the key must name exactly two ends of a flow, or none</source>
        <translation>指定的端点不是两个</translation>
    </message>
    <message>
        <source>name two gateways or two SIDs, as in share:mg-1:mg-2=40, or name none to set all flows</source>
        <translation>请指定两个网关或两个 SID，例如 share:mg-1:mg-2=40；若针对所有流，则不指定</translation>
    </message>
    <message>
        <source>blobs are sent between gateways, not between SIDs</source>
        <translation>blob 在存储之间传送，而不是在 SID 之间</translation>
    </message>
    <message>
        <source>name two gateways, as in blob-share:mg-1:mg-2=0, or name none to set all flows of blobs</source>
        <translation>请指定两个网关，例如 blob-share:mg-1:mg-2=0；若针对全部，则不指定</translation>
    </message>
    <message>
        <source>&apos;key@&apos; must be followed by the name of a key</source>
        <translation>“key@”没有指定密钥</translation>
    </message>
    <message>
        <source>write the name under which the key was allowed, as in send:key@mic-1/node-2:*=deny; &apos;divisictl keys&apos; lists the names</source>
        <translation>请写出密钥获准时的名称，例如 send:key@mic-1/node-2:*=deny；可用 &apos;divisictl keys&apos; 列出</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a role of a key</source>
        <translation>“%1”不是密钥的角色</translation>
    </message>
    <message>
        <source>write role@ROLE, where ROLE is viewer, operator, agent, admin or module, as in send:role@agent:*=deny</source>
        <translation>请写 role@ 加上 viewer、operator、agent、admin 或 module，例如 send:role@agent:*=deny</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a sender</source>
        <translation>“%1”不是发送方</translation>
    </message>
    <message>
        <source>write send:WHO:PREFIX=deny; WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE, and PREFIX a task, a SID or *</source>
        <translation>请写 send:WHO:PREFIX=deny；WHO 为 anyone、MIC/NODE、MIC/*、key@NAME 或 role@ROLE，PREFIX 为任务、SID 或 *</translation>
    </message>
    <message>
        <source>the key must name the senders and the SIDs</source>
        <translation>没有说明由谁发送、发往哪些 SID</translation>
    </message>
    <message>
        <source>the key does not name valid SIDs</source>
        <translation>没有指定 SID</translation>
    </message>
    <message>
        <source>this setting applies to the whole mesh, so its key must not name a device</source>
        <translation>它适用于整个网格</translation>
    </message>
    <message>
        <source>write %1=VALUE</source>
        <translation>请写 %1=VALUE</translation>
    </message>
    <message>
        <source>the setting has no value</source>
        <translation>它没有值</translation>
    </message>
    <message>
        <source>write KEY=VALUE, where KEY is share, blob-share, window, adapt, module, balancing, mic-rate, task-rate, retries, breaker, breaker-window, breaker-open, alarm-retries, alarm-refusals, alarm-latency, alarm-full or send</source>
        <translation>请写 KEY=VALUE，KEY 为 share、blob-share、window、adapt、module、balancing、mic-rate、task-rate、retries、breaker、breaker-window、breaker-open、alarm-retries、alarm-refusals、alarm-latency、alarm-full 或 send</translation>
    </message>
    <message>
        <source>there is no policy &apos;%1&apos;</source>
        <translation>没有策略“%1”</translation>
    </message>
    <message>
        <source>has %1 columns, but a receipt has %2</source>
        <translation>有 %1 列，而收据应有 %2 列</translation>
    </message>
    <message>
        <source>export the receipts again with &apos;divisictl receipts --csv FILE&apos;</source>
        <translation>请用 &apos;divisictl receipts --csv FILE&apos; 重新导出</translation>
    </message>
    <message>
        <source>the receipt has the unknown format &apos;%1&apos;</source>
        <translation>其格式为“%1”</translation>
    </message>
    <message>
        <source>this version reads %2 and %3</source>
        <translation>此版本可读取 %2 和 %3</translation>
    </message>
    <message>
        <source>the number of the receipt or of its lease is missing</source>
        <translation>其编号或其租约的编号无效</translation>
    </message>
    <message>
        <source>the signature of receipt %1 is wrong: the receipt was changed, or signed with another key</source>
        <translation>收据 %1 与签名不符：它被改动过，或由其他密钥签名</translation>
    </message>
    <message>
        <source>receipt %1 comes after receipt %2</source>
        <translation>收据 %1 排在收据 %2 之后</translation>
    </message>
    <message>
        <source>receipt %1 is missing before receipt %2</source>
        <translation>收据 %2 之前缺少收据 %1</translation>
    </message>
    <message>
        <source>receipts %1 to %2 are missing before receipt %3</source>
        <translation>收据 %3 之前缺少收据 %1 到 %2</translation>
    </message>
    <message>
        <source>receipt %1 does not contain the hash of receipt %2</source>
        <translation>收据 %1 与此处的收据 %2 不衔接</translation>
    </message>
    <message>
        <source>receipts %1 and %2 both belong to lease %3, but no receipt says that %4 took over this lease</source>
        <translation>收据 %1 和收据 %2 都属于租约 %3，而该租约未由 %4 接管</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: %2</source>
        <translation>策略“%1”：%2</translation>
    </message>
    <message>
        <source>use names that the cluster file contains, or set the policy with &apos;divisictl policies set&apos;</source>
        <translation>请指定文件中已有的内容，或使用 &apos;divisictl policies set&apos;</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: the file sets it twice</source>
        <translation>策略“%1”：文件中重复了两次</translation>
    </message>
    <message>
        <source>keep one of them</source>
        <translation>请保留其中一个</translation>
    </message>
    <message>
        <source>keep one of the two entries</source>
        <translation>请保留其中一个</translation>
    </message>
    <message>
        <source>no node of the cluster has a device of type &apos;%1&apos;</source>
        <translation>集群中没有节点具有类型为“%1”的设备</translation>
    </message>
    <message>
        <source>no node has %1 of memory for an instance; the largest has %2</source>
        <translation>没有节点能为一个实例提供 %1；最大的节点有 %2</translation>
    </message>
    <message>
        <source>ask for less memory, or use more stages</source>
        <translation>请要求更少，或使用更多阶段</translation>
    </message>
    <message>
        <source>no node of the cluster is called &apos;%1&apos;</source>
        <translation>集群中没有名为“%1”的节点</translation>
    </message>
    <message>
        <source>start a node agent (divisi-node)</source>
        <translation>请启动节点代理（divisi-node）</translation>
    </message>
    <message>
        <source>the cluster has no pool &apos;%1&apos;</source>
        <translation>集群没有节点池“%1”</translation>
    </message>
    <message>
        <source>the cluster file defines no pools; add a [[pool]] to it, or remove the pool from the task</source>
        <translation>其集群文件没有指定节点池；请添加 [[pool]]，或不要求节点池</translation>
    </message>
    <message>
        <source>no node of the cluster satisfies all requirements of the task: pool, nodes, avoid, device type and memory</source>
        <translation>按其节点池、节点、排除、设备类型和内存要求，集群中没有可用节点</translation>
    </message>
    <message>
        <source>remove or relax a requirement; &apos;divisictl pools&apos; lists the nodes</source>
        <translation>请查看 &apos;divisictl pools&apos;，并放宽要求</translation>
    </message>
    <message>
        <source>the event log of the cluster ends before the last received event of the task</source>
        <translation>集群的日志已是另一份：它在任务开始之前就结束了</translation>
    </message>
    <message>
        <source>check whether the orchestrator&apos;s data folder was replaced</source>
        <translation>请检查其数据文件夹是否被替换</translation>
    </message>
    <message>
        <source>the node sent a row whose cells do not match the columns</source>
        <translation>节点发送的行，其单元格数与列数不符</translation>
    </message>
    <message>
        <source>run the same Divisi version on all machines</source>
        <translation>请在所有机器上运行相同版本的 Divisi</translation>
    </message>
    <message>
        <source>the answer to subscribe was %1 instead of a page of the state</source>
        <translation>对订阅的应答是 %1</translation>
    </message>
    <message>
        <source>too many events arrived while the cluster&apos;s state was fetched</source>
        <translation>获取集群状态期间发生的事件多于可暂存的数量</translation>
    </message>
    <message>
        <source>the state is fetched again</source>
        <translation>会重新获取</translation>
    </message>
    <message>
        <source>events %1 to %2 did not arrive</source>
        <translation>事件 %1 到 %2 未到达</translation>
    </message>
    <message>
        <source>the cluster&apos;s state is fetched again</source>
        <translation>会重新获取集群状态</translation>
    </message>
    <message>
        <source>page %1 of a snapshot does not follow page %2</source>
        <translation>快照的第 %1 页不接续第 %2 页</translation>
    </message>
    <message>
        <source>the earlier request of this connection is still in progress</source>
        <translation>此连接之前的请求尚未完成</translation>
    </message>
    <message>
        <source>ask again when one of these requests has been answered</source>
        <translation>请在它得到应答后重试</translation>
    </message>
    <message>
        <source>ask again when that request has been answered</source>
        <translation>请在它得到应答后重试</translation>
    </message>
    <message>
        <source>%1 %2 are already requested</source>
        <translation>已有 %1 个同类请求在等待（%2）</translation>
    </message>
    <message>
        <source>it runs version %1 of Divisi with control protocol %2, but this program has control protocol %3</source>
        <translation>它运行的是 Divisi %1，其控制协议为 %2，而此处为 %3</translation>
    </message>
    <message>
        <source>has %1 bytes; the limit is %2 bytes</source>
        <translation>有 %1 字节，至多接受 %2 字节</translation>
    </message>
    <message>
        <source>shorten it: the name of a task&apos;s file is its path or the hash of its content</source>
        <translation>请缩短它；任务的文件按路径和内容的哈希值命名</translation>
    </message>
    <message>
        <source>states neither the purpose nor the path of the file</source>
        <translation>既没有说明文件的用途，也没有说明其位置</translation>
    </message>
    <message>
        <source>submit the task with &apos;divisictl run&apos; or the console, which state both</source>
        <translation>请指定其用途和路径；请用 &apos;divisictl run&apos; 或控制台提交</translation>
    </message>
    <message>
        <source>name fewer nodes in [split], or let a search choose the cuts</source>
        <translation>请在 [split] 中指定更少的节点，或由搜索选择切分</translation>
    </message>
    <message>
        <source>submit from a folder with a shorter path</source>
        <translation>请从路径更短的文件夹提交</translation>
    </message>
    <message>
        <source>give a shorter name</source>
        <translation>请给出更短的名称</translation>
    </message>
    <message>
        <source>move large constants of the model to its weights</source>
        <translation>请把较大的常量放在模型的权重中</translation>
    </message>
    <message>
        <source>a key is 40 characters of Z85</source>
        <translation>密钥是 40 个 Z85 字符</translation>
    </message>
    <message>
        <source>give the key a shorter name</source>
        <translation>请为密钥取更短的名称</translation>
    </message>
    <message>
        <source>use a data folder with a shorter path</source>
        <translation>请使用路径更短的数据文件夹</translation>
    </message>
    <message>
        <source>names %1 files; the limit is %2 files</source>
        <translation>指定了 %1 个文件，至多接受 %2 个</translation>
    </message>
    <message>
        <source>put the files into one folder, and name this folder</source>
        <translation>请把多个文件放入一个文件夹并指定该文件夹</translation>
    </message>
    <message>
        <source>the task and its plan take %1 bytes and %2 names; the limits are %3 bytes and %4 names</source>
        <translation>任务及其计划占 %1 字节和 %2 个名称，至多接受 %3 字节和 %4 个</translation>
    </message>
    <message>
        <source>use fewer stages, or name fewer nodes in [split]</source>
        <translation>请减少阶段，或在 [split] 中指定更少的节点</translation>
    </message>
    <message>
        <source>the queue is full</source>
        <translation>队列已满</translation>
    </message>
    <message>
        <source>wait until some tasks have ended, or stop some tasks</source>
        <translation>请等待一些任务结束，或停止一些任务</translation>
    </message>
    <message>
        <source>reports an operation with a negative duration or an impossible time</source>
        <translation>报告的操作在开始之前就已结束，或没有时间</translation>
    </message>
    <message>
        <source>check the clock of the machine of %1</source>
        <translation>请检查 %1 所在计算机的时钟</translation>
    </message>
    <message>
        <source>reports impossible measurements of its machine</source>
        <translation>报告了不可能存在的计算机数据</translation>
    </message>
    <message>
        <source>reports %1 heads; the limit is %2 heads</source>
        <translation>报告了 %1 个任务头，至多接受 %2 个</translation>
    </message>
    <message>
        <source>train fewer heads at once</source>
        <translation>请减少同时训练的任务头</translation>
    </message>
    <message>
        <source>&apos;%1&apos; names no allowed key</source>
        <translation>没有与“%1”相符的获准密钥</translation>
    </message>
    <message>
        <source>&apos;divisictl keys&apos; lists names and roles; a sender on ipc has no key: name its node, as MIC/NODE</source>
        <translation>&apos;divisictl keys&apos; 列出名称和角色；经 ipc 连接者没有密钥：请指定其节点 MIC/NODE</translation>
    </message>
    <message>
        <source>no node is called &apos;%1&apos;</source>
        <translation>没有名为“%1”的节点</translation>
    </message>
    <message>
        <source>&apos;divisictl nodes&apos; lists all nodes; &apos;anyone&apos; means all senders</source>
        <translation>可用 &apos;divisictl nodes&apos; 列出；anyone 代表所有节点</translation>
    </message>
    <message>
        <source>only an admin may change send rules</source>
        <translation>只有管理员可以更改发送权限</translation>
    </message>
    <message>
        <source>ask somebody whose key has the role admin (&apos;divisictl keys&apos; lists them)</source>
        <translation>请联系密钥角色为 admin 的人员（可用 &apos;divisictl keys&apos; 列出）</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a gateway or router of this mesh</source>
        <translation>“%1”不是此网格的网关或路由器</translation>
    </message>
    <message>
        <source>&apos;divisictl routes&apos; shows all gateways and routers</source>
        <translation>&apos;divisictl routes&apos; 显示它们</translation>
    </message>
    <message>
        <source>the task is over</source>
        <translation>任务已结束</translation>
    </message>
    <message>
        <source>&apos;divisictl tasks&apos; lists the running tasks</source>
        <translation>&apos;divisictl tasks&apos; 列出正在运行的任务</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a SID of a running task</source>
        <translation>“%1”不是运行中任务的 SID</translation>
    </message>
    <message>
        <source>&apos;divisictl routes&apos; shows gateways and SIDs</source>
        <translation>&apos;divisictl routes&apos; 显示网关和 SID</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a gateway of this mesh</source>
        <translation>“%1”不是此网格的网关</translation>
    </message>
    <message>
        <source>the key names the same end twice</source>
        <translation>同一端指定了两次</translation>
    </message>
    <message>
        <source>name two different ends: where the flow begins and where it ends</source>
        <translation>请分别指定流的起点和终点</translation>
    </message>
    <message>
        <source>the window is larger than a quarter of the buffer of %1, which has %2</source>
        <translation>超过了 %1 缓冲区（%2）的四分之一</translation>
    </message>
    <message>
        <source>set a smaller window, or start that device with a larger --buffer-mib</source>
        <translation>请设置更小的窗口，或以更大的 --buffer-mib 启动该设备</translation>
    </message>
    <message>
        <source>the change has no settings, or more than 64 settings</source>
        <translation>没有任何设置，或超过 64 项</translation>
    </message>
    <message>
        <source>give KEY=VALUE, as in share:mg-1:mg-2=40</source>
        <translation>请给出 KEY=VALUE，例如 share:mg-1:mg-2=40</translation>
    </message>
    <message>
        <source>the policy would have more than 256 entries</source>
        <translation>策略将超过 256 个条目</translation>
    </message>
    <message>
        <source>remove some entries: KEY=default</source>
        <translation>请移除一些：KEY=default</translation>
    </message>
    <message>
        <source>version %1 is already in force</source>
        <translation>版本 %1 已生效</translation>
    </message>
    <message>
        <source>&apos;divisictl policies&apos; lists the earlier versions</source>
        <translation>可用 &apos;divisictl policies&apos; 列出现有版本</translation>
    </message>
    <message>
        <source>there is no such version</source>
        <translation>没有这个版本</translation>
    </message>
    <message>
        <source>only a registered device may answer</source>
        <translation>只有设备才能以设备身份应答</translation>
    </message>
    <message>
        <source>the advised value %1 is not from %2 to %3</source>
        <translation>%1 不在 %2 到 %3 之间</translation>
    </message>
    <message>
        <source>advise a value within this range</source>
        <translation>请给出策略可接受的建议</translation>
    </message>
    <message>
        <source>the orchestrator itself has changed this setting</source>
        <translation>编排器已自行调整它</translation>
    </message>
    <message>
        <source>the setting stays until somebody changes it</source>
        <translation>在另行设置之前，它保持不变</translation>
    </message>
    <message>
        <source>%1 has made this setting</source>
        <translation>%1 已设置它</translation>
    </message>
    <message>
        <source>the policy has no room for another entry</source>
        <translation>策略已容不下更多条目</translation>
    </message>
    <message>
        <source>only a registered module may send this request</source>
        <translation>只有模块可以这样询问</translation>
    </message>
    <message>
        <source>register the module with its description first</source>
        <translation>请先描述它</translation>
    </message>
    <message>
        <source>the module sends more than 20 messages or pieces of advice per second</source>
        <translation>它每秒发送超过 20 条消息</translation>
    </message>
    <message>
        <source>send fewer messages</source>
        <translation>请减少询问</translation>
    </message>
    <message>
        <source>the module is off</source>
        <translation>模块已关闭</translation>
    </message>
    <message>
        <source>the module is on standby</source>
        <translation>模块处于待命状态</translation>
    </message>
    <message>
        <source>ask again when the module is in use</source>
        <translation>请在它提供建议时再询问</translation>
    </message>
    <message>
        <source>ask again when the module is switched on</source>
        <translation>请在它提供建议时再询问</translation>
    </message>
    <message>
        <source>the module is switched off for %1</source>
        <translation>该模块对 %1 已关闭</translation>
    </message>
    <message>
        <source>order checkpoints of other tasks</source>
        <translation>请为其他任务生成检查点</translation>
    </message>
    <message>
        <source>the task file says that the task makes no checkpoints</source>
        <translation>其任务文件规定不生成检查点</translation>
    </message>
    <message>
        <source>an operator may order a checkpoint: &apos;divisictl checkpoint&apos;</source>
        <translation>操作员可以生成一个：&apos;divisictl checkpoint&apos;</translation>
    </message>
    <message>
        <source>a module has ordered a checkpoint less than 5 s ago</source>
        <translation>不到 5 秒前已有模块生成过检查点</translation>
    </message>
    <message>
        <source>leave 5 s between two checkpoints</source>
        <translation>两次之间请间隔 5 秒</translation>
    </message>
    <message>
        <source>name and version must each have 1 to 64 letters, digits or characters of &apos;-_.+&apos;</source>
        <translation>名称和版本各为 1 到 64 个字母、数字和 &apos;-_.+&apos;</translation>
    </message>
    <message>
        <source>choose a name and a version of this form</source>
        <translation>请如此描述它</translation>
    </message>
    <message>
        <source>the description of the module names no inputs</source>
        <translation>它不想观测任何内容</translation>
    </message>
    <message>
        <source>name at least one input</source>
        <translation>请指定其输入</translation>
    </message>
    <message>
        <source>the description of the module names no kinds of advice</source>
        <translation>它不提供任何建议</translation>
    </message>
    <message>
        <source>name the kinds of advice that the module gives</source>
        <translation>请指定它提供的种类</translation>
    </message>
    <message>
        <source>the period of %1 ms is out of range</source>
        <translation>周期为 %1 ms</translation>
    </message>
    <message>
        <source>ask for a period from 100 ms to 60 s</source>
        <translation>请指定 100 ms 到 60 s</translation>
    </message>
    <message>
        <source>the key of %1 is not allowed to register as this module</source>
        <translation>%1 的密钥无权作为此模块连接</translation>
    </message>
    <message>
        <source>the module was cut off: %1</source>
        <translation>它已被切断：%1</translation>
    </message>
    <message>
        <source>the module may connect again after a minute</source>
        <translation>一分钟后会再次允许它连接</translation>
    </message>
    <message>
        <source>the module has sent its description too often</source>
        <translation>它反复描述自己</translation>
    </message>
    <message>
        <source>send the description once per connection</source>
        <translation>每个连接只需描述一次</translation>
    </message>
    <message>
        <source>use a separate process and connection for each module</source>
        <translation>一个进程即一个模块</translation>
    </message>
    <message>
        <source>64 modules are already registered</source>
        <translation>已有 64 个模块</translation>
    </message>
    <message>
        <source>end some of these modules</source>
        <translation>请结束其中一些</translation>
    </message>
    <message>
        <source>the cluster has no such version of the module</source>
        <translation>没有它的这个版本</translation>
    </message>
    <message>
        <source>&apos;divisictl modules&apos; lists all modules</source>
        <translation>可用 &apos;divisictl modules&apos; 列出</translation>
    </message>
    <message>
        <source>the cluster has no such module</source>
        <translation>没有这个模块</translation>
    </message>
    <message>
        <source>only a registered module may give advice</source>
        <translation>只有模块可以提供建议</translation>
    </message>
    <message>
        <source>cut off: %1</source>
        <translation>已切断：%1</translation>
    </message>
    <message>
        <source>a name has more than 255 bytes</source>
        <translation>名称超过 255 字节</translation>
    </message>
    <message>
        <source>use a name that exists in this cluster</source>
        <translation>请指定存在的对象</translation>
    </message>
    <message>
        <source>the advice has no reason</source>
        <translation>它没有理由</translation>
    </message>
    <message>
        <source>give a reason</source>
        <translation>请说明原因</translation>
    </message>
    <message>
        <source>the confidence of the advice is not a number from 0 to 1</source>
        <translation>其置信度不是 0 到 1 之间的数</translation>
    </message>
    <message>
        <source>give a confidence from 0 to 1</source>
        <translation>请说明其把握程度</translation>
    </message>
    <message>
        <source>the confidence of the advice is too low</source>
        <translation>它的把握不够</translation>
    </message>
    <message>
        <source>advise only with a confidence of 0.5 or more</source>
        <translation>请在 0.5 及以上时才给出建议</translation>
    </message>
    <message>
        <source>the validity of %1 ms is out of range</source>
        <translation>其有效期为 %1 ms</translation>
    </message>
    <message>
        <source>give a validity from 1 s to 10 min</source>
        <translation>请给出 1 秒到 10 分钟</translation>
    </message>
    <message>
        <source>the advice names no flow</source>
        <translation>它没有指定流</translation>
    </message>
    <message>
        <source>name two gateways or two SIDs</source>
        <translation>请指定两个网关或两个 SID</translation>
    </message>
    <message>
        <source>advise about the SIDs of other tasks</source>
        <translation>请就其他任务的 SID 提供建议</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a ready node</source>
        <translation>“%1”不是就绪的节点</translation>
    </message>
    <message>
        <source>fewer than half of the nodes would remain in use</source>
        <translation>剩余节点将不足一半</translation>
    </message>
    <message>
        <source>advise to drain fewer nodes at a time</source>
        <translation>请每次腾空更少的节点</translation>
    </message>
    <message>
        <source>advice changed this setting less than 3 s ago</source>
        <translation>不到 3 秒前刚刚更改过</translation>
    </message>
    <message>
        <source>leave at least 3 s between two changes</source>
        <translation>两次更改之间请间隔 3 秒</translation>
    </message>
    <message>
        <source>128 pieces of advice are already in force</source>
        <translation>已有 128 条建议生效</translation>
    </message>
    <message>
        <source>wait until some pieces of advice have expired</source>
        <translation>请等待其中一些到期</translation>
    </message>
    <message>
        <source>there is no such gateway</source>
        <translation>没有这个网关</translation>
    </message>
    <message>
        <source>&apos;divisictl routes&apos; lists all gateways</source>
        <translation>可用 &apos;divisictl routes&apos; 列出网关</translation>
    </message>
    <message>
        <source>a device needs a name of 1 to 255 bytes</source>
        <translation>设备需要 1 到 255 字节的名称</translation>
    </message>
    <message>
        <source>correct the device&apos;s arguments and start it again</source>
        <translation>请用其他参数启动它</translation>
    </message>
    <message>
        <source>a gateway must name its MIC, and a router must not name one</source>
        <translation>网关属于一个 MIC，而路由器不属于任何 MIC</translation>
    </message>
    <message>
        <source>the device has more than 1024 neighbours</source>
        <translation>邻居超过 1024 个</translation>
    </message>
    <message>
        <source>the MIC, endpoint, key, host or version of the device has more than 1024 bytes</source>
        <translation>有文本超过 1024 字节</translation>
    </message>
    <message>
        <source>the name of a neighbour has more than 255 bytes</source>
        <translation>有邻居的名称超过 255 字节</translation>
    </message>
    <message>
        <source>another device has this name</source>
        <translation>另一个设备已使用此名称</translation>
    </message>
    <message>
        <source>give each gateway and router a name of its own</source>
        <translation>请给每个网关和路由器各自的名称</translation>
    </message>
    <message>
        <source>the MIC %1 has a gateway already</source>
        <translation>MIC %1 已有网关</translation>
    </message>
    <message>
        <source>end that gateway first</source>
        <translation>请先结束该网关</translation>
    </message>
    <message>
        <source>the mesh has no room for another device</source>
        <translation>网格已容不下更多设备</translation>
    </message>
    <message>
        <source>end devices that are not needed</source>
        <translation>请结束不需要的设备</translation>
    </message>
    <message>
        <source>the key of %1 is not allowed to register as %2</source>
        <translation>%1 的密钥无权注册为 %2</translation>
    </message>
    <message>
        <source>start the device with the name under which its key was allowed</source>
        <translation>请用其密钥获准时的名称启动它</translation>
    </message>
    <message>
        <source>start the module with the name under which its key was allowed</source>
        <translation>请用其密钥获准时的名称启动它</translation>
    </message>
    <message>
        <source>the registered key is not the key of the connection</source>
        <translation>它提供给其他方的密钥不是它连接所用的密钥</translation>
    </message>
    <message>
        <source>this connection is already registered as %1</source>
        <translation>此连接已是 %1</translation>
    </message>
    <message>
        <source>only a registered device may report</source>
        <translation>只有设备才能以设备身份报告</translation>
    </message>
    <message>
        <source>register the device first</source>
        <translation>请先注册它</translation>
    </message>
    <message>
        <source>register the gateway first</source>
        <translation>请先注册它</translation>
    </message>
    <message>
        <source>only a registered gateway may report for its MIC</source>
        <translation>只有网关才能代表其 MIC 报告</translation>
    </message>
    <message>
        <source>a link can be either cut or slowed, not both</source>
        <translation>链路要么切断，要么减速</translation>
    </message>
    <message>
        <source>cut the link, or give a rate from 1 kB/s to 1 TB/s or a delay of at most 10 s</source>
        <translation>请断开它，或给出 1 kB/s 至 1 TB/s 的速率，或至多 10 s 的时延</translation>
    </message>
    <message>
        <source>the rate is out of range</source>
        <translation>无法保持这样的速率</translation>
    </message>
    <message>
        <source>the delay is out of range</source>
        <translation>无法保持这样的时延</translation>
    </message>
    <message>
        <source>this is the only gateway of its MIC</source>
        <translation>它是其 MIC 唯一的网关</translation>
    </message>
    <message>
        <source>kill a router, or cut the gateway&apos;s links</source>
        <translation>请终止路由器，或切断该网关的链路</translation>
    </message>
    <message>
        <source>the link has no fault</source>
        <translation>此链路没有故障</translation>
    </message>
    <message>
        <source>&apos;divisictl fault list&apos; shows all faults</source>
        <translation>&apos;divisictl fault list&apos; 显示现有的故障</translation>
    </message>
    <message>
        <source>there is no such gateway or router</source>
        <translation>没有这个网关或路由器</translation>
    </message>
    <message>
        <source>the gateways and routers are: %1</source>
        <translation>现有：%1</translation>
    </message>
    <message>
        <source>the nodes are: %1</source>
        <translation>现有：%1</translation>
    </message>
    <message>
        <source>this cluster has no gateways and no routers</source>
        <translation>此集群一个也没有</translation>
    </message>
    <message>
        <source>this cluster has no nodes</source>
        <translation>此集群一个也没有</translation>
    </message>
    <message>
        <source>the device is away and cannot receive the order</source>
        <translation>它不在线，无法通知</translation>
    </message>
    <message>
        <source>wait until &apos;divisictl routes&apos; shows it as up</source>
        <translation>请等到 &apos;divisictl routes&apos; 显示其在线</translation>
    </message>
    <message>
        <source>there is no such link</source>
        <translation>没有这条链路</translation>
    </message>
    <message>
        <source>%1 has links to %2</source>
        <translation>%1 有通往以下各处的链路：%2</translation>
    </message>
    <message>
        <source>%1 has no links</source>
        <translation>%1 没有链路</translation>
    </message>
    <message>
        <source>the node is away and cannot receive the order</source>
        <translation>节点不在线，无法通知它</translation>
    </message>
    <message>
        <source>wait until &apos;divisictl nodes&apos; shows it as ready</source>
        <translation>请等待 &apos;divisictl nodes&apos; 显示其为就绪</translation>
    </message>
    <message>
        <source>this cluster does not allow faults</source>
        <translation>此集群不接受故障注入</translation>
    </message>
    <message>
        <source>use the embedded cluster, or start divisid with --allow-faults</source>
        <translation>请使用内嵌集群，或以 --allow-faults 启动 divisid</translation>
    </message>
    <message>
        <source>the pause is out of range</source>
        <translation>进程不能暂停这么久</translation>
    </message>
    <message>
        <source>give a pause of more than 0 s and at most 60 s</source>
        <translation>请给出大于 0 秒、至多 60 秒的时间</translation>
    </message>
    <message>
        <source>there is no such node</source>
        <translation>没有这个节点</translation>
    </message>
    <message>
        <source>the node has only just connected</source>
        <translation>节点刚刚加入</translation>
    </message>
    <message>
        <source>kill the node some seconds later: its host does not restart a program that dies several times soon after its start</source>
        <translation>请数秒后再终止它：若程序启动后很快反复退出，其托管方会放弃它</translation>
    </message>
    <message>
        <source>no process serves this SID now</source>
        <translation>当前没有进程承担此 SID</translation>
    </message>
    <message>
        <source>SIDs with a process: %1</source>
        <translation>正在担任的 SID：%1</translation>
    </message>
    <message>
        <source>start a task first: no task runs now</source>
        <translation>没有任务在运行；请先启动一个</translation>
    </message>
    <message>
        <source>a name is too long, or too many nodes are named</source>
        <translation>名称过多或过长</translation>
    </message>
    <message>
        <source>use names of at most 256 characters, and at most 256 node names, which may end with a star</source>
        <translation>名称最长 256 个字符，节点名最多 256 个，可用星号</translation>
    </message>
    <message>
        <source>the reservation names no nodes</source>
        <translation>没有指定节点</translation>
    </message>
    <message>
        <source>give --pool, --nodes or both</source>
        <translation>请给出 --pool、--nodes 或两者</translation>
    </message>
    <message>
        <source>the reservation covers no node of the cluster</source>
        <translation>集群中没有节点属于它</translation>
    </message>
    <message>
        <source>&apos;divisictl pools&apos; lists the nodes of each pool</source>
        <translation>可用 &apos;divisictl pools&apos; 查看各节点池的节点</translation>
    </message>
    <message>
        <source>the reservation must be for either a submitter or a task</source>
        <translation>没有指定为谁预留，或指定了两个对象</translation>
    </message>
    <message>
        <source>give either --submitter or --task</source>
        <translation>请给出 --submitter 或 --task 之一</translation>
    </message>
    <message>
        <source>the duration of the reservation is zero, or longer than a year</source>
        <translation>时长为零，或超过一年</translation>
    </message>
    <message>
        <source>give --for, as in --for 2h</source>
        <translation>请给出 --for，例如 --for 2h</translation>
    </message>
    <message>
        <source>the reservation would begin in the past</source>
        <translation>开始时间已过</translation>
    </message>
    <message>
        <source>omit --from to begin now, or give a future time</source>
        <translation>省略 --from 即从现在开始，或给出将来的时间</translation>
    </message>
    <message>
        <source>the reservation would begin in more than a year</source>
        <translation>一年多以后才开始</translation>
    </message>
    <message>
        <source>give an earlier --from</source>
        <translation>请给出更早的 --from</translation>
    </message>
    <message>
        <source>no task &apos;%1&apos; waits or runs</source>
        <translation>没有等待或运行中的任务“%1”</translation>
    </message>
    <message>
        <source>list all tasks with &apos;divisictl tasks&apos;, or reserve for a submitter</source>
        <translation>可用 &apos;divisictl tasks&apos; 列出任务，或为提交者预留</translation>
    </message>
    <message>
        <source>%1 is already reserved by reservation %2</source>
        <translation>%1 已由预留 %2 占用</translation>
    </message>
    <message>
        <source>choose another time or other nodes, or cancel that reservation: divisictl reserve cancel %2</source>
        <translation>请选择其他时间或节点，或取消该预留：divisictl reserve cancel %2</translation>
    </message>
    <message>
        <source>there is no such reservation</source>
        <translation>没有这个预留</translation>
    </message>
    <message>
        <source>list all reservations with &apos;divisictl reserve&apos;</source>
        <translation>可用 &apos;divisictl reserve&apos; 列出预留</translation>
    </message>
    <message>
        <source>there are already %1 reservations, which is the limit</source>
        <translation>已有 %1 个预留</translation>
    </message>
    <message>
        <source>cancel some reservations: divisictl reserve cancel NUMBER</source>
        <translation>请取消一些：divisictl reserve cancel 编号</translation>
    </message>
    <message>
        <source>the task is not held</source>
        <translation>任务没有被搁置</translation>
    </message>
    <message>
        <source>the exception was closed meanwhile</source>
        <translation>该异常已被关闭</translation>
    </message>
    <message>
        <source>list the open exceptions with &apos;divisictl exceptions&apos;</source>
        <translation>可用 &apos;divisictl exceptions&apos; 列出尚存的异常</translation>
    </message>
    <message>
        <source>the cluster&apos;s queue is fcfs, which has no priorities</source>
        <translation>集群的队列为 fcfs，不区分优先级</translation>
    </message>
    <message>
        <source>remove the priority from the task, or set discipline = &quot;priority&quot; in the cluster file</source>
        <translation>请去掉它，或在集群文件中使用 discipline = &quot;priority&quot;</translation>
    </message>
    <message>
        <source>the task places a part on %1, but its pool, nodes or avoid exclude that node</source>
        <translation>%1 要运行任务的一部分，而任务的节点池、节点或排除项不允许</translation>
    </message>
    <message>
        <source>place the part on another node, or allow this node</source>
        <translation>请把该部分放到别处，或允许该节点</translation>
    </message>
    <message>
        <source>version %1 of a model is not known</source>
        <translation>没有模型版本 %1</translation>
    </message>
    <message>
        <source>name a version that &apos;divisictl models&apos; lists</source>
        <translation>请给出 &apos;divisictl models&apos; 列出的版本</translation>
    </message>
    <message>
        <source>the node that holds the task&apos;s files is away</source>
        <translation>存有任务文件的节点不在线</translation>
    </message>
    <message>
        <source>bring the node back, or stop the task and submit it again</source>
        <translation>请恢复该节点，或停止任务后重新提交</translation>
    </message>
    <message>
        <source>the node accepts files only from its own machine</source>
        <translation>节点只接收来自其所在计算机的文件</translation>
    </message>
    <message>
        <source>start its agent with the tcp connection file, place the task on other nodes, or name files on that node as node:/path</source>
        <translation>请用 tcp 连接文件启动其代理，把任务放到其他节点上，或以 node:/路径 指定已在该处的文件</translation>
    </message>
    <message>
        <source>the node accepts no files</source>
        <translation>节点不接收文件</translation>
    </message>
    <message>
        <source>the task was queued by an older version, which did not log which nodes hold its files</source>
        <translation>它由旧版本排入队列，旧版本没有记录哪些节点存有其文件</translation>
    </message>
    <message>
        <source>submit the task again; the data that has arrived is kept</source>
        <translation>请重新提交；已送达的部分会保留</translation>
    </message>
    <message>
        <source>the task does not wait for files</source>
        <translation>任务没有在等待文件</translation>
    </message>
    <message>
        <source>list all tasks with &apos;divisictl tasks&apos;</source>
        <translation>可用 &apos;divisictl tasks&apos; 列出任务</translation>
    </message>
    <message>
        <source>another client uploads this task&apos;s files</source>
        <translation>此任务的文件由另一个客户端提供</translation>
    </message>
    <message>
        <source>only the connection that submitted the task may report that its files have arrived</source>
        <translation>只有提交它的连接才能确认文件已到位</translation>
    </message>
    <message>
        <source>the client of the task disconnected before all files had arrived</source>
        <translation>客户端在全部文件送达之前断开</translation>
    </message>
    <message>
        <source>the edited task has another imported model than the failed task</source>
        <translation>编辑后的文本使用的导入模型与失败的任务不同</translation>
    </message>
    <message>
        <source>submit the task again from the folder with its files: &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;, then &apos;divisictl run task.toml&apos;</source>
        <translation>请在其文件所在的文件夹中重新提交：先运行 &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;，再运行 &apos;divisictl run task.toml&apos;</translation>
    </message>
    <message>
        <source>the edited task names other files than those on the nodes</source>
        <translation>编辑后的文本指定的文件与已传到节点的文件不同</translation>
    </message>
    <message>
        <source>the node that has the task&apos;s files is %1: %2</source>
        <translation>存有其文件的节点处于 %1 状态：%2</translation>
    </message>
    <message>
        <source>bring the node back and try again, or submit the task again from the folder with its files: &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;, then &apos;divisictl run task.toml&apos;</source>
        <translation>请恢复该节点后重试；或在其文件所在的文件夹中重新提交：先运行 &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;，再运行 &apos;divisictl run task.toml&apos;</translation>
    </message>
    <message>
        <source>the orchestrator&apos;s copy of the model is gone or damaged</source>
        <translation>编排器上的模型副本已丢失或损坏</translation>
    </message>
    <message>
        <source>its files never arrived: %1</source>
        <translation>其文件从未送达：%1</translation>
    </message>
    <message>
        <source>the plan differs from the plan for which the files were sent to the nodes</source>
        <translation>其计划与传送文件时所依据的计划不同</translation>
    </message>
    <message>
        <source>keep stages, cuts and data instances as they were, or submit the task again from the folder with its files: &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;, then &apos;divisictl run task.toml&apos;</source>
        <translation>请保持阶段、切分和数据实例不变；或在其文件所在的文件夹中重新提交：先运行 &apos;divisictl exceptions show NUMBER --text &gt; task.toml&apos;，再运行 &apos;divisictl run task.toml&apos;</translation>
    </message>
    <message>
        <source>submit the task again</source>
        <translation>请重新提交任务</translation>
    </message>
    <message>
        <source>the task has no imported model</source>
        <translation>任务没有导入的模型</translation>
    </message>
    <message>
        <source>rebuild the zoo model from the task file</source>
        <translation>模型库中的模型由任务文件重建</translation>
    </message>
    <message>
        <source>the task does not train now</source>
        <translation>任务当前不在训练</translation>
    </message>
    <message>
        <source>change the number of data instances while the task trains: see &apos;divisictl tasks&apos;</source>
        <translation>数据实例只能在训练时增减：见 &apos;divisictl tasks&apos;</translation>
    </message>
    <message>
        <source>%1 data instances are out of the range, which is from 1 to %2</source>
        <translation>%1 个数据实例：可分配 1 到 %2 个</translation>
    </message>
    <message>
        <source>ask for another number</source>
        <translation>请改用其他数目</translation>
    </message>
    <message>
        <source>the data of the task are read by the instance of a stage, not by data instances</source>
        <translation>其数据由某个阶段的实例读取，而不是由数据实例读取</translation>
    </message>
    <message>
        <source>submit the task with data.instances = 1 or more</source>
        <translation>请以 data.instances = 1 或更大值提交</translation>
    </message>
    <message>
        <source>every node that holds the task&apos;s data is away</source>
        <translation>存有任务数据的节点都不在线</translation>
    </message>
    <message>
        <source>bring back a node on which the task has or had a data instance</source>
        <translation>请恢复一个有过或现有其数据实例的节点</translation>
    </message>
    <message>
        <source>no node could restart data instance %1 within %2; it was lost because: %3</source>
        <translation>没有节点能在 %2 内重新启动数据实例 %1，原因：%3</translation>
    </message>
    <message>
        <source>bring back a node that has the task&apos;s data, then submit the task again</source>
        <translation>请恢复一个存有任务数据的节点，然后重新提交任务</translation>
    </message>
    <message>
        <source>the data instance was not ready in time</source>
        <translation>数据实例未及时就绪</translation>
    </message>
    <message>
        <source>see the log of the instance&apos;s node</source>
        <translation>请查看其节点的日志</translation>
    </message>
    <message>
        <source>see the log of the standby&apos;s node</source>
        <translation>请查看其节点的日志</translation>
    </message>
    <message>
        <source>a data instance of task %1 runs there, and no other node in a MIC with a gateway has its data and room for it</source>
        <translation>任务 %1 的数据实例在此运行，而没有其他节点既有其数据又有空位，且位于有网关的 MIC 中</translation>
    </message>
    <message>
        <source>free or start a node that can read the data, or let the task end first</source>
        <translation>请腾出或启动一个能读取数据的节点，或先让任务结束</translation>
    </message>
    <message>
        <source>stage %1 of the new plan cannot run on a node where it failed too often (faults there: %2)</source>
        <translation>新方案的阶段 %1 不能放到它故障过多的节点（在该处的故障次数：%2）</translation>
    </message>
    <message>
        <source>name another node for the stage, or repair this node and start its agent again</source>
        <translation>请为该阶段指定另一个节点，或修好此节点并重新启动其代理</translation>
    </message>
    <message>
        <source>the standby was not ready in time</source>
        <translation>待命实例未及时就绪</translation>
    </message>
    <message>
        <source>the standby compiled another plan</source>
        <translation>待命实例编译出另一个计划</translation>
    </message>
    <message>
        <source>the orchestrator was restarted by another version, which cannot adopt the task</source>
        <translation>编排器由另一版本重新启动，无法接管该任务</translation>
    </message>
    <message>
        <source>the cluster ended before all instances of the task had started</source>
        <translation>集群在其全部实例启动之前结束</translation>
    </message>
    <message>
        <source>the instance is away (%1, and it was not back within %2 s)</source>
        <translation>实例不在线（%1，并且没有在 %2 秒内恢复）</translation>
    </message>
    <message>
        <source>see the log of the instance&apos;s node, then submit the task again</source>
        <translation>请查看其节点的日志，再重新提交任务</translation>
    </message>
    <message>
        <source>the instance&apos;s process ended while its node was away</source>
        <translation>实例的进程在其节点不在线时结束</translation>
    </message>
    <message>
        <source>node %1 left</source>
        <translation>节点 %1 已离开</translation>
    </message>
    <message>
        <source>bring the node back or place the task on other nodes, then submit it again</source>
        <translation>请恢复该节点或把任务放到其他节点，再重新提交</translation>
    </message>
    <message>
        <source>node %1 was lost</source>
        <translation>节点 %1 已失联</translation>
    </message>
    <message>
        <source>the instance makes no progress: it has been in %1 for %2 s</source>
        <translation>实例没有进展：已在 %1 停留 %2 秒</translation>
    </message>
    <message>
        <source>no running task has this instance</source>
        <translation>没有运行中的任务含此实例</translation>
    </message>
    <message>
        <source>end this instance; its task is over</source>
        <translation>请结束它；其任务已结束</translation>
    </message>
    <message>
        <source>this instance is registered already</source>
        <translation>此实例已注册</translation>
    </message>
    <message>
        <source>end this process: another process is registered as this incarnation of the SID</source>
        <translation>一个 SID 的一代只能由一个进程担任</translation>
    </message>
    <message>
        <source>the instance follows a plan that is not in force</source>
        <translation>实例遵循的计划未生效</translation>
    </message>
    <message>
        <source>end this instance; another instance has replaced it</source>
        <translation>请结束它；其职责已由其他实例承担</translation>
    </message>
    <message>
        <source>the instance compiled another plan</source>
        <translation>实例编译出的计划不同</translation>
    </message>
    <message>
        <source>it recovered %1 times in a row without passing step %2; the last error: %3</source>
        <translation>任务连续恢复了 %1 次，仍未越过第 %2 步；最近一次：%3</translation>
    </message>
    <message>
        <source>see &apos;divisictl logs --task %4&apos;, repair the cause, then retry the task</source>
        <translation>请查看 &apos;divisictl logs --task %4&apos; 并排除故障，然后重试任务</translation>
    </message>
    <message>
        <source>it recovered %1 times within %2 minutes from faults of %3; the last error: %4</source>
        <translation>任务因 %3 的故障在 %2 分钟内恢复了 %1 次；最近一次：%4</translation>
    </message>
    <message>
        <source>see &apos;divisictl logs --task %5&apos;, repair the cause, then retry the task</source>
        <translation>请查看 &apos;divisictl logs --task %5&apos; 并排除故障，然后重试任务</translation>
    </message>
    <message>
        <source>it recovered %1 times within %2 minutes from faults of %3, and its task file does not let it leave a node; the last error: %4</source>
        <translation>任务因 %3 的故障在 %2 分钟内恢复了 %1 次，而按任务文件的要求它不离开任何节点；最近一次：%4</translation>
    </message>
    <message>
        <source>see the log of node %5 and repair it, or let the task recover elsewhere ([faults] answer = &quot;recover&quot;), then retry the task</source>
        <translation>请查看节点 %5 的日志并修复该节点，或让任务在别处恢复（[faults] answer = &quot;recover&quot;），然后重试任务</translation>
    </message>
    <message>
        <source>it recovered %1 times within %2 minutes from faults of %3, and only node %5 has the state to continue from; the last error: %4</source>
        <translation>任务因 %3 的故障在 %2 分钟内恢复了 %1 次，而除 %5 外没有节点拥有它继续所需的内容；最近一次：%4</translation>
    </message>
    <message>
        <source>see the log of node %5 and repair it, or give the task another node, then retry the task</source>
        <translation>请查看节点 %5 的日志并修复该节点，或为任务提供另一个节点，然后重试任务</translation>
    </message>
    <message>
        <source>node %1 is back, so the task need not wait for node %2</source>
        <translation>节点 %1 已恢复，不必再等待节点 %2</translation>
    </message>
    <message>
        <source>the only node that can continue the task did not come back within %1 minutes</source>
        <translation>唯一能继续此任务的节点在 %1 分钟内没有恢复</translation>
    </message>
    <message>
        <source>bring the node back, then retry the task</source>
        <translation>请恢复该节点，再重试任务</translation>
    </message>
    <message>
        <source>nodes that could not start an instance are asked again</source>
        <translation>再次询问未能启动实例的节点</translation>
    </message>
    <message>
        <source>the task has already ended</source>
        <translation>任务已经结束</translation>
    </message>
    <message>
        <source>the instance&apos;s process was %1</source>
        <translation>实例的进程已终止：%1</translation>
    </message>
    <message>
        <source>submit the task again; if this repeats, see &apos;divisictl logs&apos;</source>
        <translation>请重新提交任务；若再次发生，请查看 &apos;divisictl logs&apos;</translation>
    </message>
    <message>
        <source>the instance&apos;s process %1</source>
        <translation>实例进程%1</translation>
    </message>
    <message>
        <source>the cluster was shut down</source>
        <translation>集群已关闭</translation>
    </message>
    <message>
        <source>it has used up its time limit of %1 s</source>
        <translation>它已运行了允许的 %1 秒</translation>
    </message>
    <message>
        <source>allow the task more time, or fewer steps</source>
        <translation>请给它更多时间，或减少步数</translation>
    </message>
    <message>
        <source>instances did not register in time</source>
        <translation>实例没有按时注册</translation>
    </message>
    <message>
        <source>see the messages of the instances with &apos;divisictl logs&apos;</source>
        <translation>它们的消息见 &apos;divisictl logs&apos;</translation>
    </message>
    <message>
        <source>instances were not prepared in time</source>
        <translation>实例没有按时就绪</translation>
    </message>
    <message>
        <source>a process of the new plan is away, so the plan is not changed</source>
        <translation>将按新计划继续的进程不在线，计划保持不变</translation>
    </message>
    <message>
        <source>ask again when it is back; &apos;divisictl logs&apos; shows what happened to it</source>
        <translation>请等它恢复后重试；&apos;divisictl logs&apos; 显示其情况</translation>
    </message>
    <message>
        <source>the task is being re-cut already</source>
        <translation>任务正在重新切分</translation>
    </message>
    <message>
        <source>ask again when the re-cut is done; &apos;divisictl logs&apos; shows its progress</source>
        <translation>请在完成后重试；&apos;divisictl logs&apos; 显示进展</translation>
    </message>
    <message>
        <source>the task does not train now; its phase is %1</source>
        <translation>任务当前不在训练，处于阶段 %1</translation>
    </message>
    <message>
        <source>re-cut a task while it trains; submit a queued task with other cuts</source>
        <translation>只能重新切分正在训练的任务；排队中的任务可用其他切分重新提交</translation>
    </message>
    <message>
        <source>a task of kind &quot;%1&quot; keeps no state to continue from</source>
        <translation>“%1”类任务不保存可继续使用的状态</translation>
    </message>
    <message>
        <source>submit the task again with other cuts</source>
        <translation>请用其他切分重新提交</translation>
    </message>
    <message>
        <source>the request is to change plan %1, but plan %2 is in force</source>
        <translation>要更改的计划 %1 未生效；当前生效的是 %2</translation>
    </message>
    <message>
        <source>look at the plan in force, and ask again</source>
        <translation>请查看当前生效的计划，然后重试</translation>
    </message>
    <message>
        <source>the new plan %1 is already in force</source>
        <translation>新计划就是当前生效的计划 %1</translation>
    </message>
    <message>
        <source>ask for other cuts or another number of stages</source>
        <translation>请要求其他切分或其他阶段数</translation>
    </message>
    <message>
        <source>the task now compiles to another plan, %1</source>
        <translation>任务现在会编译成另一个计划 %1</translation>
    </message>
    <message>
        <source>re-cut the task with &apos;divisictl recut&apos;, which also moves its stages</source>
        <translation>请用 &apos;divisictl recut&apos; 重新切分，它也会移动任务</translation>
    </message>
    <message>
        <source>the instance compiled another plan, %1</source>
        <translation>实例编译出另一个计划 %1</translation>
    </message>
    <message>
        <source>run the same version on every node</source>
        <translation>请在各节点运行相同版本</translation>
    </message>
    <message>
        <source>the task ended before its new plan came into force</source>
        <translation>任务在新计划生效之前已结束</translation>
    </message>
    <message>
        <source>&apos;divisictl tasks&apos; shows how it ended</source>
        <translation>详情见 &apos;divisictl tasks&apos;</translation>
    </message>
    <message>
        <source>the task ended before its new plan had trained a step</source>
        <translation>任务在新计划训练任何一步之前已结束</translation>
    </message>
    <message>
        <source>the task recovered from a fault meanwhile, and continues with its old plan</source>
        <translation>任务其间从故障中恢复，并按原计划继续</translation>
    </message>
    <message>
        <source>ask again when it trains</source>
        <translation>请在它训练时重试</translation>
    </message>
    <message>
        <source>the new plan was not ready within %1 minutes, and the task continues with its old plan</source>
        <translation>新计划未能在 %1 分钟内就绪，任务按原计划继续</translation>
    </message>
    <message>
        <source>see in &apos;divisictl logs&apos; what the re-cut waited for, and ask again</source>
        <translation>请在 &apos;divisictl logs&apos; 中查看它在等待什么，然后重试</translation>
    </message>
    <message>
        <source>the snapshots for the new plan did not arrive in time, and the task continues with its old plan</source>
        <translation>新计划起步所需的内容未能及时到位，任务按原计划继续</translation>
    </message>
    <message>
        <source>the stages could not stop after the same step, and the task continues with its old plan</source>
        <translation>各阶段未能在同一步结束旧计划，任务按原计划继续</translation>
    </message>
    <message>
        <source>see in &apos;divisictl logs&apos; why there is no checkpoint, and ask again</source>
        <translation>没有检查点的原因见 &apos;divisictl logs&apos;，然后重试</translation>
    </message>
    <message>
        <source>a node of the new plan is away, and the task continues with its old plan</source>
        <translation>新计划的一个节点不在线，任务按原计划继续</translation>
    </message>
    <message>
        <source>ask again when it is back</source>
        <translation>请在它恢复后重试</translation>
    </message>
    <message>
        <source>a stage lost its connection during the pause for the re-cut, and the task continues with its old plan</source>
        <translation>各阶段应停步时有一个阶段断开了连接，任务按原计划继续</translation>
    </message>
    <message>
        <source>the new plan would move weights of stage %1 from secure nodes to a node that is not secure</source>
        <translation>新计划需要把阶段 %1 在安全节点上学到的内容放到不安全的节点上</translation>
    </message>
    <message>
        <source>choose cuts that keep the operators of this stage on secure nodes</source>
        <translation>请调整切分，使其算子留在安全节点上</translation>
    </message>
    <message>
        <source>all nodes with a snapshot that the new plan needs are away</source>
        <translation>拥有新计划某个阶段所需内容的节点都不在线</translation>
    </message>
    <message>
        <source>ask again when one of these nodes is back</source>
        <translation>请等其节点恢复后重试</translation>
    </message>
    <message>
        <source>the task waits for an absent peer, or its checkpoint is gone, and it continues with its old plan</source>
        <translation>任务正在等待，或其检查点已不存在，任务按原计划继续</translation>
    </message>
    <message>
        <source>too few steps were measured under the current plan</source>
        <translation>按其计划测得的训练步太少</translation>
    </message>
    <message>
        <source>ask again when the task has trained some more steps</source>
        <translation>请在它再训练若干步后重试</translation>
    </message>
    <message>
        <source>some stages of the task are away</source>
        <translation>并非所有阶段都在线</translation>
    </message>
    <message>
        <source>stage %1 has not reported its load yet</source>
        <translation>阶段 %1 尚未报告其忙碌程度</translation>
    </message>
    <message>
        <source>advice is about cuts, but the task has one stage or a block partition</source>
        <translation>任务只有一个阶段，或按块划分，而建议只针对切点</translation>
    </message>
    <message>
        <source>first re-cut the task with --stages or --cuts</source>
        <translation>请先用 --stages 或 --cuts 重新切分</translation>
    </message>
    <message>
        <source>the task was re-cut during the search for better cuts</source>
        <translation>查找其他切分期间任务已被重新切分</translation>
    </message>
    <message>
        <source>ask again: the cuts that were found belong to the earlier plan</source>
        <translation>请重试：找到的结果属于之前的计划</translation>
    </message>
    <message>
        <source>not a blob&apos;s hash</source>
        <translation>不是 blob 的哈希值</translation>
    </message>
    <message>
        <source>give the 64 hexadecimal digits of the hash, as &apos;divisictl blobs&apos; lists them</source>
        <translation>请给出它的 64 位十六进制数字，可用 &apos;divisictl blobs&apos; 列出</translation>
    </message>
    <message>
        <source>no such node</source>
        <translation>没有这个节点</translation>
    </message>
    <message>
        <source>&apos;divisictl nodes&apos; lists all nodes</source>
        <translation>可用 &apos;divisictl nodes&apos; 列出全部节点</translation>
    </message>
    <message>
        <source>the node is away</source>
        <translation>节点不在线</translation>
    </message>
    <message>
        <source>the node serves no files</source>
        <translation>节点不提供文件</translation>
    </message>
    <message>
        <source>the node does not serve files</source>
        <translation>节点不提供文件</translation>
    </message>
    <message>
        <source>name another node</source>
        <translation>请指定其他节点</translation>
    </message>
    <message>
        <source>a node cannot send a blob to itself</source>
        <translation>节点不能向自己传送</translation>
    </message>
    <message>
        <source>name two nodes</source>
        <translation>请指定两个节点</translation>
    </message>
    <message>
        <source>this blob is already on its way to the node</source>
        <translation>此 blob 已在传往该节点</translation>
    </message>
    <message>
        <source>wait until the blob has arrived</source>
        <translation>请等待它到达</translation>
    </message>
    <message>
        <source>%1 blobs already wait to be sent</source>
        <translation>已有 %1 个 blob 等待传送</translation>
    </message>
    <message>
        <source>wait until some of them have arrived</source>
        <translation>请等待其中一些到达</translation>
    </message>
    <message>
        <source>%1 copies of snapshots are already waiting to be sent</source>
        <translation>已有 %1 个副本等待生成</translation>
    </message>
    <message>
        <source>make checkpoints less often, or give the nodes faster links</source>
        <translation>请降低检查点的频率，或为节点配备更快的链路</translation>
    </message>
    <message>
        <source>try again; the data that has arrived is kept</source>
        <translation>请重试；已到达的内容会保留</translation>
    </message>
    <message>
        <source>the nodes did not answer in time</source>
        <translation>节点未及时应答</translation>
    </message>
    <message>
        <source>try again</source>
        <translation>请重试</translation>
    </message>
    <message>
        <source>the hash of a snapshot is not the hash of a blob</source>
        <translation>快照不是 blob</translation>
    </message>
    <message>
        <source>task %1 reads files that only this node has, so its stage 0 cannot move</source>
        <translation>任务 %1 读取只存在于该节点的文件，因此其阶段 0 无法离开</translation>
    </message>
    <message>
        <source>let the task end first, or stop the task and submit it again after the drain</source>
        <translation>请先让任务结束，或停止任务并在腾空节点之后重新提交</translation>
    </message>
    <message>
        <source>no other node has room for stage %1 of task %2%3</source>
        <translation>没有其他节点能容纳任务 %2 的阶段 %1%3</translation>
    </message>
    <message>
        <source>start another node, or end a task on a node; &apos;divisictl nodes&apos; shows free nodes</source>
        <translation>请启动另一个节点，或结束某个节点上的运行；&apos;divisictl nodes&apos; 显示空闲情况</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>name another node for the stage, or ask again when the node is free</source>
        <translation>请为该阶段指定其他节点，或等它空闲后重试</translation>
    </message>
    <message>
        <source>order a checkpoint while the task trains</source>
        <translation>请对正在训练的任务生成检查点</translation>
    </message>
    <message>
        <source>order checkpoints only of tasks that train</source>
        <translation>请对正在训练的任务生成检查点</translation>
    </message>
    <message>
        <source>a batch trains no weights, so it has no checkpoints</source>
        <translation>批量任务不学习任何可保留的内容</translation>
    </message>
    <message>
        <source>the data instance of task %1 runs there, and a task without data.instances cannot move it</source>
        <translation>任务 %1 的数据实例在此运行，而不参与分配的数据实例无法移动</translation>
    </message>
    <message>
        <source>let the task end first, or submit it again with data.instances = 1 or more</source>
        <translation>请先让任务结束，或以 data.instances = 1 或更大值重新提交</translation>
    </message>
    <message>
        <source>does not describe the new plan</source>
        <translation>没有说明新计划</translation>
    </message>
    <message>
        <source>give cuts, or a number of stages, or blocks, or undo</source>
        <translation>请给出切分、阶段数、块或撤销中的一项</translation>
    </message>
    <message>
        <source>give only one of cuts, a number of stages, blocks and undo</source>
        <translation>请给出切分、阶段数、块或撤销中的一项</translation>
    </message>
    <message>
        <source>describes the new plan in more than one way</source>
        <translation>对新计划给出了多项说明</translation>
    </message>
    <message>
        <source>= %1 is not a number of stages</source>
        <translation>= %1 不是有效的阶段数</translation>
    </message>
    <message>
        <source>give 1 or more</source>
        <translation>请给出 1 或更大的数</translation>
    </message>
    <message>
        <source>the task was not re-cut yet</source>
        <translation>任务还没有被重新切分过</translation>
    </message>
    <message>
        <source>give the new cuts, or a number of stages</source>
        <translation>请给出所需的切分或阶段数</translation>
    </message>
    <message>
        <source>there is no such task</source>
        <translation>没有这个任务</translation>
    </message>
    <message>
        <source>the task has ended, and its checkpoints were deleted</source>
        <translation>任务已结束，其检查点也随之删除</translation>
    </message>
    <message>
        <source>if the training succeeded, &apos;divisictl models&apos; lists the version that it made</source>
        <translation>成功结束的训练已生成一个版本：&apos;divisictl models&apos;</translation>
    </message>
    <message>
        <source>the task has no checkpoint yet</source>
        <translation>任务还没有检查点</translation>
    </message>
    <message>
        <source>order a checkpoint with &apos;divisictl checkpoint %1&apos;</source>
        <translation>可用 &apos;divisictl checkpoint %1&apos; 生成一个</translation>
    </message>
    <message>
        <source>the task has no checkpoint after step %1</source>
        <translation>任务在第 %1 步之后没有检查点</translation>
    </message>
    <message>
        <source>the checkpoint does not contain the frozen weights of this zoo model</source>
        <translation>检查点不含此模型库模型中被冻结的权重</translation>
    </message>
    <message>
        <source>let the training end: the version that it then makes contains all weights</source>
        <translation>请让训练结束：届时生成的版本包含全部权重</translation>
    </message>
    <message>
        <source>this checkpoint is version %1 already</source>
        <translation>此检查点已经是版本 %1</translation>
    </message>
    <message>
        <source>start from that version: &apos;divisictl run FILE --from %1&apos;</source>
        <translation>可由该版本开始：&apos;divisictl run FILE --from %1&apos;</translation>
    </message>
    <message>
        <source>the weights of this version were already dropped</source>
        <translation>其权重已被丢弃</translation>
    </message>
    <message>
        <source>the version is listed only while versions that descend from it are kept</source>
        <translation>只要由它派生的版本仍被保留，它就仅作为记录列出</translation>
    </message>
    <message>
        <source>there is no such version of a model</source>
        <translation>没有这个模型版本</translation>
    </message>
    <message>
        <source>list all versions with &apos;divisictl models&apos;</source>
        <translation>可用 &apos;divisictl models&apos; 列出全部版本</translation>
    </message>
    <message>
        <source>the hashes of several versions begin with these digits</source>
        <translation>有多个版本的哈希以此开头</translation>
    </message>
    <message>
        <source>the name is also the beginning of the hashes of several versions</source>
        <translation>有多个版本的哈希以此开头</translation>
    </message>
    <message>
        <source>give more digits of the hash, or the number of the version</source>
        <translation>请多给几位，或给出版本号</translation>
    </message>
    <message>
        <source>give another name</source>
        <translation>请换一个名称</translation>
    </message>
    <message>
        <source>is not a valid name of a version</source>
        <translation>不是版本的名称</translation>
    </message>
    <message>
        <source>use up to 64 letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;, not digits alone</source>
        <translation>最多 64 个字母、数字、&apos;-&apos;、&apos;_&apos; 和 &apos;.&apos;，不能只有数字</translation>
    </message>
    <message>
        <source>version %1 already has this name</source>
        <translation>版本 %1 已使用此名称</translation>
    </message>
    <message>
        <source>the cluster has no such node</source>
        <translation>集群中没有这个节点</translation>
    </message>
    <message>
        <source>the node is not drained, so there is nothing to undo</source>
        <translation>该节点未被排空，因此无法撤销</translation>
    </message>
    <message>
        <source>&apos;divisictl nodes&apos; shows which nodes are drained</source>
        <translation>可用 &apos;divisictl nodes&apos; 查看哪些节点正在排空</translation>
    </message>
    <message>
        <source>task %1 waits for the node, which is lost</source>
        <translation>任务 %1 正在等待此节点，而节点已失联</translation>
    </message>
    <message>
        <source>bring the node back, or stop the task first</source>
        <translation>请恢复该节点，或先停止任务</translation>
    </message>
    <message>
        <source>the node is not ready; its state is %1</source>
        <translation>节点未就绪，其状态为 %1</translation>
    </message>
    <message>
        <source>bring the node back, and ask again; an absent node gets no instances anyway</source>
        <translation>请恢复该节点后重试；不在线的节点本来就不会分到实例</translation>
    </message>
    <message>
        <source>it is the only node that takes instances</source>
        <translation>这是唯一可接收实例的节点</translation>
    </message>
    <message>
        <source>start another node first, or end the cluster with &apos;divisictl cluster down&apos;</source>
        <translation>请先启动另一个节点，或用 &apos;divisictl cluster down&apos; 结束集群</translation>
    </message>
    <message>
        <source>the task ends before a checkpoint can be made</source>
        <translation>任务在检查点生成之前就会结束</translation>
    </message>
    <message>
        <source>the weights of the task are stored when it ends</source>
        <translation>届时其权重会被保存</translation>
    </message>
    <message>
        <source>a stage is away</source>
        <translation>有一个阶段不在线</translation>
    </message>
    <message>
        <source>try again when it is back</source>
        <translation>请在它恢复后重试</translation>
    </message>
    <message>
        <source>try again when the orchestrator is back</source>
        <translation>请在它恢复后重试</translation>
    </message>
    <message>
        <source>there is no such exception</source>
        <translation>没有这个异常</translation>
    </message>
    <message>
        <source>list all exceptions with &apos;divisictl exceptions&apos;</source>
        <translation>可用 &apos;divisictl exceptions&apos; 列出</translation>
    </message>
    <message>
        <source>the task failed without a stated reason</source>
        <translation>没有给出原因</translation>
    </message>
    <message>
        <source>see the log of the task</source>
        <translation>请查看其日志</translation>
    </message>
    <message>
        <source>a stage of the new plan is placed on a node that is not ready</source>
        <translation>将运行新计划某阶段的节点未就绪</translation>
    </message>
    <message>
        <source>bring the node back, and ask again; &apos;divisictl nodes&apos; lists all nodes</source>
        <translation>请恢复该节点后重试；&apos;divisictl nodes&apos; 列出全部节点</translation>
    </message>
    <message>
        <source>a stage of the new plan is placed on a node that is drained</source>
        <translation>将运行新计划某阶段的节点正在腾空</translation>
    </message>
    <message>
        <source>ask again: the stage is then placed on another node</source>
        <translation>请重试：该阶段将放到另一个节点</translation>
    </message>
    <message>
        <source>the task has checkpoints after the steps %2</source>
        <translation>它在以下各步之后有检查点：%2</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is pinned to &apos;%2&apos;, which is not among the nodes %3</source>
        <translation>算子“%1”固定在“%2”，而它不在 %3 的节点之中</translation>
    </message>
    <message>
        <source>add the node to that list, or pin the operator to one of these nodes</source>
        <translation>请把它加入其中，或固定到其中一个节点</translation>
    </message>
    <message>
        <source>= %1 is out of range</source>
        <translation>%1 超出范围</translation>
    </message>
    <message>
        <source>use %2 to %3</source>
        <translation>请取 %2 到 %3</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a valid name</source>
        <translation>“%1”不能用作名称</translation>
    </message>
    <message>
        <source>use up to 64 letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;</source>
        <translation>最多 64 个字母、数字、“-”、“_”和“.”</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>缺少此项</translation>
    </message>
    <message>
        <source>give a zoo model (zoo = &quot;gpt&quot;) or a file (onnx = &quot;model.onnx&quot;)</source>
        <translation>请指定模型库中的模型（zoo = &quot;gpt&quot;）或文件（onnx = &quot;model.onnx&quot;）</translation>
    </message>
    <message>
        <source>and model.zoo exclude each other</source>
        <translation>与 model.zoo 不能同时使用</translation>
    </message>
    <message>
        <source>is a size of zoo models, but this model is not from the zoo</source>
        <translation>是模型库模型的尺寸，而此模型不是模型库中的模型</translation>
    </message>
    <message>
        <source>remove the size, or bind a symbolic dimension in [model.symbols]</source>
        <translation>请删除它，或在 [model.symbols] 中绑定符号维度</translation>
    </message>
    <message>
        <source>is both a size and a table</source>
        <translation>既是尺寸又是表</translation>
    </message>
    <message>
        <source>remove the table: this model has only one input</source>
        <translation>此模型只有一个输入；请去掉该表</translation>
    </message>
    <message>
        <source>gives no head a loss</source>
        <translation>没有留下任何任务头</translation>
    </message>
    <message>
        <source>give one output a loss other than none</source>
        <translation>请为一个输出指定 none 以外的损失</translation>
    </message>
    <message>
        <source>and train.losses exclude each other</source>
        <translation>与 train.losses 不能同时使用</translation>
    </message>
    <message>
        <source>name the file or folder to read</source>
        <translation>请指定要读取的文件或文件夹</translation>
    </message>
    <message>
        <source>must be at least 1 for synthetic data</source>
        <translation>合成数据时至少为 1</translation>
    </message>
    <message>
        <source>write samples = 1000</source>
        <translation>请写 samples = 1000</translation>
    </message>
    <message>
        <source>name the target columns, as in targets = [&quot;price&quot;]</source>
        <translation>请指定目标列，例如 targets = [&quot;price&quot;]</translation>
    </message>
    <message>
        <source>applies only to images in IDX form</source>
        <translation>只用于 IDX 格式的图像</translation>
    </message>
    <message>
        <source>remove it</source>
        <translation>请删除它</translation>
    </message>
    <message>
        <source>and data.validation exclude each other</source>
        <translation>与 data.validation 不能同时使用</translation>
    </message>
    <message>
        <source>needs a validation part</source>
        <translation>需要验证数据</translation>
    </message>
    <message>
        <source>set data.validation or data.validation_share = 0.1</source>
        <translation>请设置 data.validation 或 data.validation_share = 0.1</translation>
    </message>
    <message>
        <source>is out of range</source>
        <translation>超出范围</translation>
    </message>
    <message>
        <source>use 0 to 9223372036854775807</source>
        <translation>请取 0 到 9223372036854775807</translation>
    </message>
    <message>
        <source>= %1 does not divide the batch of %2</source>
        <translation>%1 不能整除批大小 %2</translation>
    </message>
    <message>
        <source>choose a divisor of train.batch, so that all micro-batches are equal</source>
        <translation>请选择 train.batch 的约数，使各微批大小相等</translation>
    </message>
    <message>
        <source>applies only to strategy = &quot;block&quot;</source>
        <translation>只用于 strategy = &quot;block&quot;</translation>
    </message>
    <message>
        <source>write strategy = &quot;block&quot;</source>
        <translation>请写 strategy = &quot;block&quot;</translation>
    </message>
    <message>
        <source>= &apos;block&apos; needs segments</source>
        <translation>“block”需要指定分段</translation>
    </message>
    <message>
        <source>give split.stages, or write a [[split.segment]] with nodes = [&quot;/a&quot;, &quot;/scope/*&quot;] for each segment</source>
        <translation>请给出 split.stages，或为每一段写 [[split.segment]]，其中 nodes = [&quot;/a&quot;, &quot;/scope/*&quot;]</translation>
    </message>
    <message>
        <source>and [[split.segment]] exclude each other</source>
        <translation>与 [[split.segment]] 不能同时使用</translation>
    </message>
    <message>
        <source>has too many names: %1</source>
        <translation>名称过多：%1</translation>
    </message>
    <message>
        <source>name scopes, such as &quot;/encoder/*&quot;</source>
        <translation>请按作用域指定，例如 &quot;/encoder/*&quot;</translation>
    </message>
    <message>
        <source>use 1</source>
        <translation>请使用 1</translation>
    </message>
    <message>
        <source>= %1: %2 parallelism is not supported yet</source>
        <translation>= %1：%2 并行尚未支持</translation>
    </message>
    <message>
        <source>use at most %2 names; a pattern with a star covers several nodes</source>
        <translation>最多 %2 个；相似的名称请用星号合并</translation>
    </message>
    <message>
        <source>has &apos;%1&apos;, which is not a node</source>
        <translation>含有“%1”，它不是节点</translation>
    </message>
    <message>
        <source>write &quot;mic-1/node-1&quot;, or &quot;mic-1/*&quot; for all nodes of a MIC</source>
        <translation>请写 &quot;mic-1/node-1&quot;，或用 &quot;mic-1/*&quot; 表示整个 MIC</translation>
    </message>
    <message>
        <source>write place = &quot;NODE&quot; in each segment</source>
        <translation>请在每个分段中写 place =</translation>
    </message>
    <message>
        <source>names nodes, but [split] leaves the number of stages open</source>
        <translation>指定了节点，而 [split] 没有确定阶段数</translation>
    </message>
    <message>
        <source>give split.stages, or remove place.stages</source>
        <translation>请给出 split.stages，或去掉 place.stages</translation>
    </message>
    <message>
        <source>names %1 nodes for %2 stages</source>
        <translation>为 %2 个阶段指定了 %1 个节点</translation>
    </message>
    <message>
        <source>name one node per stage, or remove the key</source>
        <translation>请为每个阶段指定一个节点，或不指定</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a device</source>
        <translation>“%1”不是设备</translation>
    </message>
    <message>
        <source>use cpu, cuda or cuda:&lt;number&gt;</source>
        <translation>请使用 cpu、cuda 或 cuda:&lt;编号&gt;</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not supported</source>
        <translation>“%1”无法运行</translation>
    </message>
    <message>
        <source>use fp32: instances compute only in this precision</source>
        <translation>请使用 fp32，实例只以此精度计算</translation>
    </message>
    <message>
        <source>keeps processes ready that faults.answer = &quot;%1&quot; never uses</source>
        <translation>保持就绪的进程在 faults.answer = &quot;%1&quot; 时从不使用</translation>
    </message>
    <message>
        <source>write faults.answer = &quot;recover&quot;, or remove place.standby</source>
        <translation>请写 faults.answer = &quot;recover&quot;，或不指定</translation>
    </message>
    <message>
        <source>a batch task reads its data in place and in order, without data instances</source>
        <translation>批量任务在数据所在处按顺序读取，不使用数据实例</translation>
    </message>
    <message>
        <source>remove the key</source>
        <translation>请去掉它</translation>
    </message>
    <message>
        <source>names labels, but batch.labels is false</source>
        <translation>指定了标签，而 batch.labels 为 false</translation>
    </message>
    <message>
        <source>remove one of them</source>
        <translation>请删除其中一个</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not known</source>
        <translation>“%1”不在可选值之中</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not supported yet</source>
        <translation>“%1”尚未支持</translation>
    </message>
    <message>
        <source>use kind = &quot;batch&quot; to process a data set once</source>
        <translation>请用 kind = &quot;batch&quot; 对数据集运行一次</translation>
    </message>
    <message>
        <source>use a number from 0, such as 0.5</source>
        <translation>请取不小于 0 的数，例如 0.5</translation>
    </message>
    <message>
        <source>use a share from 0 to below 1</source>
        <translation>请取 0 到小于 1 的比例</translation>
    </message>
    <message>
        <source>use a number from 0</source>
        <translation>请取不小于 0 的数</translation>
    </message>
    <message>
        <source>use a number from 0 to below 1</source>
        <translation>请取 0 到小于 1 的数</translation>
    </message>
    <message>
        <source>use a number from 0 to 1</source>
        <translation>请取 0 到 1 的数</translation>
    </message>
    <message>
        <source>use a number above 0</source>
        <translation>请取大于 0 的数</translation>
    </message>
    <message>
        <source>use a number from 0 (0: no clipping)</source>
        <translation>请取不小于 0 的数（0：不裁剪）</translation>
    </message>
    <message>
        <source>is not a size of zoo model &apos;%1&apos;</source>
        <translation>不是模型库模型“%1”的尺寸</translation>
    </message>
    <message>
        <source>is not a head in [train.losses]</source>
        <translation>不是 [train.losses] 中的任务头</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a target column</source>
        <translation>“%1”不是目标列</translation>
    </message>
    <message>
        <source>list the column in data.targets; %2</source>
        <translation>请在 data.targets 中列出它；%2</translation>
    </message>
    <message>
        <source>has no target column</source>
        <translation>没有目标列</translation>
    </message>
    <message>
        <source>write [model.targets] %1 = &quot;column&quot;, and list that column in data.targets</source>
        <translation>请写 [model.targets] %1 = &quot;列名&quot;，并在 data.targets 中列出该列</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is out of range</source>
        <translation>“%1”超出范围</translation>
    </message>
    <message>
        <source>write a number of steps (5), a time (&quot;30s&quot;, &quot;5min&quot;, &quot;2h&quot;), &quot;auto&quot; or &quot;never&quot;</source>
        <translation>请写步数（5）、时间（&quot;30s&quot;、&quot;5min&quot;、&quot;2h&quot;）、&quot;auto&quot; 或 &quot;never&quot;</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is neither a number of steps nor a time</source>
        <translation>“%1”既不是步数，也不是时间</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; %2</source>
        <translation>“%1”%2</translation>
    </message>
    <message>
        <source>write e.g. &quot;30 s&quot;, up to 86400 s</source>
        <translation>请写例如 &quot;30 s&quot;，最多 86400 s</translation>
    </message>
    <message>
        <source>is not a valid factor</source>
        <translation>不是倍数</translation>
    </message>
    <message>
        <source>write the factor over the median step time, such as 3; 0: no alert</source>
        <translation>请写多少倍中位数算过慢，例如 3；0 表示从不</translation>
    </message>
    <message>
        <source>write the maximum number of waiting tasks, such as 20; 0: no limit</source>
        <translation>请写可以等待的任务数，例如 20；0 表示不限</translation>
    </message>
    <message>
        <source>is too long for the path of a socket</source>
        <translation>超过了套接字路径允许的长度</translation>
    </message>
    <message>
        <source>use at most %1 characters</source>
        <translation>最多 %1 个字符</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; has no host and port</source>
        <translation>“%1”没有主机和端口</translation>
    </message>
    <message>
        <source>write tcp://host:port with a port up to 65535</source>
        <translation>请写 tcp://主机:端口，端口不超过 65535</translation>
    </message>
    <message>
        <source>write %1</source>
        <translation>请写 %1</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; does not fit the transport</source>
        <translation>“%1”与传输方式不符</translation>
    </message>
    <message>
        <source>write %2</source>
        <translation>请写 %2</translation>
    </message>
    <message>
        <source>copy the public key of 40 characters that the program prints when it starts</source>
        <translation>请复制程序启动时打印的 40 个字符的公钥</translation>
    </message>
    <message>
        <source>is not a public key</source>
        <translation>不是公钥</translation>
    </message>
    <message>
        <source>is not a valid size</source>
        <translation>不是大小</translation>
    </message>
    <message>
        <source>write a number of bytes, or a string such as &quot;32 GiB&quot;</source>
        <translation>请写字节数，或写字符串，例如 &quot;32 GiB&quot;</translation>
    </message>
    <message>
        <source>is not a valid rate</source>
        <translation>不是速率</translation>
    </message>
    <message>
        <source>write a number above 0, or a string such as %1</source>
        <translation>请写大于 0 的数，或写字符串，例如 %1</translation>
    </message>
    <message>
        <source>the file has no section [cluster]</source>
        <translation>没有 [cluster] 一节</translation>
    </message>
    <message>
        <source>begin the file with [cluster], and give the name and the transport of the cluster there</source>
        <translation>请以 [cluster] 及其 name 和 transport 开头</translation>
    </message>
    <message>
        <source>is not allowed for a node with a host</source>
        <translation>不用于主机上的节点</translation>
    </message>
    <message>
        <source>remove the endpoint: the address of the host is used</source>
        <translation>请去掉它：主机已有地址</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>为空</translation>
    </message>
    <message>
        <source>write devices = [&quot;cpu&quot;]</source>
        <translation>请写 devices = [&quot;cpu&quot;]</translation>
    </message>
    <message>
        <source>use 0 to 4096</source>
        <translation>请取 0 到 4096</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is used twice</source>
        <translation>“%1”用了两次</translation>
    </message>
    <message>
        <source>give each MIC a name of its own</source>
        <translation>请给每个 MIC 各自的名称</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is used twice in %2</source>
        <translation>“%1”在 %2 中用了两次</translation>
    </message>
    <message>
        <source>give each node of a MIC a name of its own</source>
        <translation>请给同一 MIC 的每个节点各自的名称</translation>
    </message>
    <message>
        <source>give each node a port of its own</source>
        <translation>请给每个各自的端口</translation>
    </message>
    <message>
        <source>exceeds the maximum number of nodes</source>
        <translation>多了一个节点</translation>
    </message>
    <message>
        <source>use at most %1</source>
        <translation>最多 %1</translation>
    </message>
    <message>
        <source>add a [[mic.node]] below [[mic]] %1</source>
        <translation>请在 [[mic]] %1 下添加 [[mic.node]]</translation>
    </message>
    <message>
        <source>the cluster has no MIC</source>
        <translation>集群没有 MIC</translation>
    </message>
    <message>
        <source>add a [[mic]] with a [[mic.node]]</source>
        <translation>请添加 [[mic]] 及其 [[mic.node]]</translation>
    </message>
    <message>
        <source>is listed twice</source>
        <translation>列了两次</translation>
    </message>
    <message>
        <source>keep one entry per key, so that the role of the key is clear</source>
        <translation>每个密钥请只留一项，使其角色明确</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; has no link with %2</source>
        <translation>“%1”与 %2 之间没有链路</translation>
    </message>
    <message>
        <source>list the link in one of these two devices</source>
        <translation>请在两者之一的 links 中写上它</translation>
    </message>
    <message>
        <source>and bandwidth are missing</source>
        <translation>与 bandwidth 均缺失</translation>
    </message>
    <message>
        <source>give one of them, or both</source>
        <translation>请至少给出其中一个</translation>
    </message>
    <message>
        <source>and to are the same as in an earlier link</source>
        <translation>与 to 和上面某条链路相同</translation>
    </message>
    <message>
        <source>keep one [[link]] for each pair</source>
        <translation>每一对请只留一个 [[link]]</translation>
    </message>
    <message>
        <source>exceeds the maximum number of links</source>
        <translation>多了一条链路</translation>
    </message>
    <message>
        <source>use at most %1 links; a pattern with a star covers several nodes</source>
        <translation>最多 %1 个；相似的名称请用星号合并</translation>
    </message>
    <message>
        <source>and nodes are missing</source>
        <translation>与 nodes 均缺失</translation>
    </message>
    <message>
        <source>define the nodes of the pool by type, by a list, or by both</source>
        <translation>请说明池中有哪些节点：按类型、列出，或两者都写</translation>
    </message>
    <message>
        <source>use 1 to %2, or remove the key</source>
        <translation>请取 1 到 %2，或不指定</translation>
    </message>
    <message>
        <source>applies only to shared nodes</source>
        <translation>只用于共享的节点</translation>
    </message>
    <message>
        <source>write shared = true, or remove the key: a node that is not shared runs one task at a time</source>
        <translation>请写 shared = true，或去掉它：不写时，一个节点一次只接受一个任务</translation>
    </message>
    <message>
        <source>give each pool a name of its own</source>
        <translation>请给每个池各自的名称</translation>
    </message>
    <message>
        <source>exceeds the maximum number of pools</source>
        <translation>多了一个池</translation>
    </message>
    <message>
        <source>is not a valid weight</source>
        <translation>不是权重</translation>
    </message>
    <message>
        <source>write a number above 0, such as alice = 2</source>
        <translation>请写大于 0 的数，例如 alice = 2</translation>
    </message>
    <message>
        <source>exceeds the maximum number of weights</source>
        <translation>多了一个</translation>
    </message>
    <message>
        <source>apply only to discipline = &quot;share&quot;, but the discipline is &quot;%1&quot;</source>
        <translation>只用于 discipline = &quot;share&quot;，而这里是“%1”</translation>
    </message>
    <message>
        <source>change the discipline, or remove the weights</source>
        <translation>请更改 discipline，或去掉权重</translation>
    </message>
    <message>
        <source>is not a number with a unit</source>
        <translation>不是带单位的数</translation>
    </message>
    <message>
        <source>write e.g. &quot;%1&quot;</source>
        <translation>请写例如 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>write e.g. &quot;%3&quot;</source>
        <translation>请写例如 &quot;%3&quot;</translation>
    </message>
    <message>
        <source>write e.g. &quot;%2&quot;</source>
        <translation>请写例如 &quot;%2&quot;</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a node of this file</source>
        <translation>“%1”不是此文件中的节点</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>use 1 to %2; the device also uses the next port</source>
        <translation>请取 1 到 %2；它还会占用下一个端口</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is the name of the orchestrator</source>
        <translation>“%1”是编排器的名称</translation>
    </message>
    <message>
        <source>= %1 is already used on %2</source>
        <translation>%2 上的端口 %1 已被占用</translation>
    </message>
    <message>
        <source>give each gateway and router of a host its own port, at least two above the previous one</source>
        <translation>请为同一主机的每个网关和路由器指定自己的端口，两两至少相差 2</translation>
    </message>
    <message>
        <source>names the device itself</source>
        <translation>写的是设备自身</translation>
    </message>
    <message>
        <source>remove &apos;%1&apos;</source>
        <translation>请去掉“%1”</translation>
    </message>
    <message>
        <source>is used twice</source>
        <translation>用了两次</translation>
    </message>
    <message>
        <source>give each program its own key, which the program or &apos;divisictl cluster keys&apos; prints</source>
        <translation>请给每个写上它自己打印的密钥，或 &apos;divisictl cluster keys&apos; 打印的密钥</translation>
    </message>
    <message>
        <source>give each host a name of its own</source>
        <translation>请给每台主机各自的名称</translation>
    </message>
    <message>
        <source>exceeds the maximum number of hosts</source>
        <translation>多了一台主机</translation>
    </message>
    <message>
        <source>= &apos;ipc&apos; works only within one host and allows no [[host]]</source>
        <translation>“ipc”用于没有名称的单台主机</translation>
    </message>
    <message>
        <source>write transport = &quot;tcp&quot;, or remove every [[host]]</source>
        <translation>请写 transport = &quot;tcp&quot;，或去掉各个 [[host]]</translation>
    </message>
    <message>
        <source>name the [[host]] of the file on which the program runs</source>
        <translation>请写明它在文件中的哪个 [[host]] 上运行</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not in the file</source>
        <translation>“%1”不在文件中</translation>
    </message>
    <message>
        <source>add a [[host]] with this name and its address</source>
        <translation>请添加 [[host]] 及其名称和地址</translation>
    </message>
    <message>
        <source>exceeds the maximum number of routers</source>
        <translation>多了一个路由器</translation>
    </message>
    <message>
        <source>is missing, so %1 cannot be reached through the mesh</source>
        <translation>缺失：无法通过网络到达 %1</translation>
    </message>
    <message>
        <source>add [mic.gateway] with name, host and links below [[mic]] %1</source>
        <translation>请在 [[mic]] %1 下添加 [mic.gateway]，写上 name、host 和 links</translation>
    </message>
    <message>
        <source>give no path from %1 to %2</source>
        <translation>没有从 %1 到 %2 的通路</translation>
    </message>
    <message>
        <source>link both gateways to the same router, or to routers that are linked to each other</source>
        <translation>请将两者连到同一路由器，或连到相连的路由器</translation>
    </message>
    <message>
        <source>names &apos;%1&apos;, which is not a gateway or router of this file</source>
        <translation>写了“%1”，它不是此文件中的网关或路由器</translation>
    </message>
    <message>
        <source>write the address at which other hosts reach this host, such as 10.0.0.2 or [fd77::2], without a port</source>
        <translation>请写其他主机访问它所用的地址，例如 10.0.0.2 或 [fd77::2]，不带端口</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not an address</source>
        <translation>“%1”不是地址</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a host of this file</source>
        <translation>“%1”不是此文件中的主机</translation>
    </message>
    <message>
        <source>applies only to programs on a host, which &apos;divisictl cluster start&apos; starts</source>
        <translation>只用于主机上的程序，它们由 &apos;divisictl cluster start&apos; 启动</translation>
    </message>
    <message>
        <source>add host, or remove this key and start the program with %1</source>
        <translation>请同时写 host，或去掉它，并以 %1 启动程序</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is not a loopback address with a port</source>
        <translation>“%1”不是带端口的环回地址</translation>
    </message>
    <message>
        <source>write an address such as 127.0.0.1:9464; other machines reach it through a proxy or a tunnel</source>
        <translation>请写 127.0.0.1:9464，并用代理或隧道把它提供给其他机器</translation>
    </message>
    <message>
        <source>give each program of a host a port of its own; 0: the system chooses one</source>
        <translation>请给同一主机的每个程序各自的端口；0 表示由系统选择</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is used twice on %2</source>
        <translation>“%1”在 %2 上用了两次</translation>
    </message>
    <message>
        <source>is also given in the arguments</source>
        <translation>在它的参数中也有</translation>
    </message>
    <message>
        <source>keep one of the two</source>
        <translation>请保留两者之一</translation>
    </message>
    <message>
        <source>give each module a name that no gateway, router or other module has</source>
        <translation>请给每个模块一个名称，不与网关、路由器或其他模块相同</translation>
    </message>
    <message>
        <source>exceeds the maximum number of modules</source>
        <translation>多了一个模块</translation>
    </message>
    <message>
        <source>policy.entries has an entry of more than 1024 bytes, or more than 64 entries</source>
        <translation>policy.entries 有一项超过 1024 字节，或超过 64 项</translation>
    </message>
    <message>
        <source>shorten the list, or set the remaining policies with &apos;divisictl policies set&apos;</source>
        <translation>请写少些，或用 &apos;divisictl policies set&apos; 设置其余部分</translation>
    </message>
    <message>
        <source>it names %1 nodes for %2 stages</source>
        <translation>它为 %2 个阶段指定了 %1 个节点</translation>
    </message>
    <message>
        <source>use one of these nodes: %2</source>
        <translation>请使用以下节点之一：%2</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; is a zoo model without trained weights for a batch task</source>
        <translation>“%1”没有可供批量任务使用的已训练权重</translation>
    </message>
    <message>
        <source>write from = &quot;TASK&quot; for a model that a task has trained, or onnx = &quot;FILE&quot; for an exported model</source>
        <translation>用 from = &quot;TASK&quot; 指定某任务训练所得，或用 onnx = &quot;FILE&quot; 指定导出的模型</translation>
    </message>
    <message>
        <source>and model.onnx exclude each other</source>
        <translation>与 model.onnx 不能同时使用</translation>
    </message>
    <message>
        <source>= &apos;%1&apos; gives only weights: a training must also name its model</source>
        <translation>只写了“%1”：训练还须指定模型</translation>
    </message>
    <message>
        <source>also write zoo = &quot;NAME&quot; or onnx = &quot;FILE&quot;, as in the task of this version</source>
        <translation>请像该版本的任务那样同时写 zoo = &quot;NAME&quot; 或 onnx = &quot;FILE&quot;</translation>
    </message>
    <message>
        <source>applies only to tasks of kind batch</source>
        <translation>只用于 batch 类任务</translation>
    </message>
    <message>
        <source>write [task] kind = &quot;batch&quot;, or remove the key</source>
        <translation>请写 [task] kind = &quot;batch&quot;，或删除它</translation>
    </message>
    <message>
        <source>has no meaning for a batch task, which runs one forward pass and trains nothing</source>
        <translation>对批量任务没有意义：它只做一次前向，不训练</translation>
    </message>
    <message>
        <source>has no meaning for a batch task, which restarts from its beginning after a fault</source>
        <translation>对批量任务没有意义：它在故障后重新开始</translation>
    </message>
    <message>
        <source>has no meaning for a batch task, which never uses standby processes</source>
        <translation>对批量任务没有意义：没有待命进程接替它</translation>
    </message>
    <message>
        <source>the model takes %1 samples at a time, but a micro-batch has %2</source>
        <translation>模型一次取 %1 个样本，而一个微批有 %2 个</translation>
    </message>
    <message>
        <source>set [train] batch = %3, or export the model with a dynamic batch axis (dynamic_axes={&apos;%4&apos;: {0: &apos;batch&apos;}})</source>
        <translation>请设置 [train] batch = %3，或以动态批轴导出模型（dynamic_axes={&apos;%4&apos;: {0: &apos;batch&apos;}}）</translation>
    </message>
    <message>
        <source>the weights of model.from = &apos;%1&apos; are available only to a run on the cluster of that task</source>
        <translation>model.from = “%1”：只有在该任务的集群上运行才能找到其权重</translation>
    </message>
    <message>
        <source>use &apos;divisictl run&apos;, or write onnx = &quot;FILE&quot; after &apos;divisictl model export %1 FILE&apos;</source>
        <translation>请用 &apos;divisictl run&apos;，或在 &apos;divisictl model export %1 FILE&apos; 之后写 onnx = &quot;FILE&quot;</translation>
    </message>
    <message>
        <source>a [[split.segment]] names no operators</source>
        <translation>某个 split.segment 没有指定算子</translation>
    </message>
    <message>
        <source>write nodes = [&quot;/a&quot;, &quot;/scope/*&quot;]</source>
        <translation>请写 nodes = [&quot;/a&quot;, &quot;/scope/*&quot;]</translation>
    </message>
    <message>
        <source>this is not a valid setting</source>
        <translation>这不是设置</translation>
    </message>
    <message>
        <source>write section.key=value, such as train.steps=20</source>
        <translation>请写 section.key=value，例如 train.steps=20</translation>
    </message>
    <message>
        <source>[split] is given both in the text and separately</source>
        <translation>[split] 既在文本中，又在文本之外给出</translation>
    </message>
    <message>
        <source>remove the section from the text</source>
        <translation>请从文本中去掉该节</translation>
    </message>
    <message>
        <source>%1 cannot run on two nodes: %2 on %3, and %4 on %5</source>
        <translation>%1 不能在两个节点上运行：%2（%3），%4（%5）</translation>
    </message>
    <message>
        <source>change one of these rules, or move the operators to different segments</source>
        <translation>请更改其中之一，或把所涉及的部分放入不同分段</translation>
    </message>
    <message>
        <source>operators of &apos;%1&apos; must stay together, but &apos;%2&apos; is in %3 and &apos;%4&apos; is in %5</source>
        <translation>“%1”的算子须在一起，而“%2”在 %3，“%4”在 %5</translation>
    </message>
    <message>
        <source>move the cut or one of the operators, or remove the rule</source>
        <translation>请移动切分点或其中一个算子，或去掉该规则</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is pinned to %2, but reads data that is stored on %3</source>
        <translation>算子“%1”固定在 %2，却读取位于 %3 的数据</translation>
    </message>
    <message>
        <source>pin the operator to %3, or read the data on another node</source>
        <translation>请把它固定到 %3，或在别处读取数据</translation>
    </message>
    <message>
        <source>segment %1 contains the sensitive operator &apos;%2&apos;, but no node of the cluster is secure</source>
        <translation>分段 %1 含有敏感算子“%2”，而集群中没有安全节点</translation>
    </message>
    <message>
        <source>in the cluster file, write secure = true for a [[mic.node]] that may see the data of the operator</source>
        <translation>请在集群文件中为可接触其数据的 [[mic.node]] 写 secure = true</translation>
    </message>
    <message>
        <source>segment %1 contains the sensitive operator &apos;%2&apos; but would run on %3, which is not secure (%4)</source>
        <translation>分段 %1 含有敏感算子“%2”，却要在不安全的 %3 上运行（%4）</translation>
    </message>
    <message>
        <source>place the segment on %5, or mark the node as secure</source>
        <translation>请把它放到 %5，或将该节点标为安全</translation>
    </message>
    <message>
        <source>%1 is not a valid amount</source>
        <translation>%1 不是有效的量</translation>
    </message>
    <message>
        <source>the plan names %1 operators, so its task text takes %2; the limit is %3</source>
        <translation>计划列出 %1 个算子，作为任务占 %2；任务最多可占 %3</translation>
    </message>
    <message>
        <source>write [[split.segment]] with scopes, as in nodes = [&quot;/encoder/*&quot;], or use strategy = &quot;layer&quot;</source>
        <translation>请在 [[split.segment]] 中用作用域，例如 nodes = [&quot;/encoder/*&quot;]，或使用 strategy = &quot;layer&quot;</translation>
    </message>
    <message>
        <source>shorten the operators&apos; names in the model, or use fewer stages</source>
        <translation>请缩短模型中算子的名称，或减少阶段数</translation>
    </message>
    <message>
        <source>%1 belongs to another model: %2</source>
        <translation>%1 属于另一个模型：%2</translation>
    </message>
    <message>
        <source>begin with a version of this model (&apos;divisictl models&apos; lists them), give the task the model of that version, or train without --from</source>
        <translation>请从此模型的某个版本开始（&apos;divisictl models&apos; 会列出），或让任务使用该版本的模型，或不带 --from 训练</translation>
    </message>
    <message>
        <source>did you mean &apos;%1&apos;?</source>
        <translation>您是否指“%1”？</translation>
    </message>
    <message>
        <source>use one of %1</source>
        <translation>可选值：%1</translation>
    </message>
    <message>
        <source>the file has more than %1 bytes</source>
        <translation>文件超过 %1 字节</translation>
    </message>
    <message>
        <source>check the file name: a file of this kind has only a few lines of TOML</source>
        <translation>这类文件只有几行 TOML；是否选错了文件？</translation>
    </message>
    <message>
        <source>write the file as TOML (toml.io)</source>
        <translation>请按 TOML 格式书写（toml.io）</translation>
    </message>
    <message>
        <source>unknown section &apos;%1&apos;</source>
        <translation>未知的节“%1”</translation>
    </message>
    <message>
        <source>unknown key &apos;%1&apos; in [%2]</source>
        <translation>[%2] 中有未知的键“%1”</translation>
    </message>
    <message>
        <source>%1 is a table</source>
        <translation>%1 是表</translation>
    </message>
    <message>
        <source>%1 is a list</source>
        <translation>%1 是列表</translation>
    </message>
    <message>
        <source>%1 is a string</source>
        <translation>%1 是字符串</translation>
    </message>
    <message>
        <source>%1 is an integer</source>
        <translation>%1 是整数</translation>
    </message>
    <message>
        <source>%1 is a number</source>
        <translation>%1 是数字</translation>
    </message>
    <message>
        <source>%1 is a boolean</source>
        <translation>%1 是布尔值</translation>
    </message>
    <message>
        <source>%1 is a date or time</source>
        <translation>%1 是日期或时间</translation>
    </message>
    <message>
        <source>lies inside a scope that split.together keeps whole</source>
        <translation>位于 split.together 要求保持完整的部分之内</translation>
    </message>
    <message>
        <source>move the cut, or remove the name from split.together</source>
        <translation>请移动切分点，或从 split.together 中去掉该名称</translation>
    </message>
    <message>
        <source>no data column feeds the model&apos;s input &apos;%1&apos;</source>
        <translation>没有数据列供给模型的输入“%1”</translation>
    </message>
    <message>
        <source>add a line such as %1 = &quot;column&quot;</source>
        <translation>请添加一行，例如 %1 = &quot;列名&quot;</translation>
    </message>
    <message>
        <source>the model&apos;s input &apos;%1&apos; takes %2 samples at once, but a micro-batch has %3</source>
        <translation>模型的输入“%1”一次取 %2 个样本，而一个微批有 %3 个</translation>
    </message>
    <message>
        <source>choose batch and microbatches so that batch / microbatches = %2, or export the model with a dynamic batch dimension</source>
        <translation>请选择批大小与微批数，使二者之比为 %2，或以动态批维度导出模型</translation>
    </message>
    <message>
        <source>the model has no input &apos;%1&apos;</source>
        <translation>模型没有输入“%1”</translation>
    </message>
    <message>
        <source>no weight of the model is called &apos;%1&apos;</source>
        <translation>模型没有名为“%1”的权重</translation>
    </message>
    <message>
        <source>a string in quotes</source>
        <translation>带引号的字符串</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>an integer from 0</source>
        <translation>不小于 0 的整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数</translation>
    </message>
    <message>
        <source>a list, as in [&quot;a&quot;, &quot;b&quot;]</source>
        <translation>列表，例如 [&quot;a&quot;, &quot;b&quot;]</translation>
    </message>
    <message>
        <source>a table</source>
        <translation>表</translation>
    </message>
    <message>
        <source>[[%1]] before each of the tables</source>
        <translation>在每项之前写 [[%1]]</translation>
    </message>
    <message>
        <source>a section [%1]</source>
        <translation>[%1] 一节</translation>
    </message>
    <message>
        <source>a section</source>
        <translation>一节</translation>
    </message>
    <message>
        <source>a key without a dot</source>
        <translation>此处不带点</translation>
    </message>
    <message>
        <source>a list of texts, as in [&quot;breaker=5&quot;, &quot;retries=20&quot;]</source>
        <translation>字符串列表，例如 [&quot;breaker=5&quot;, &quot;retries=20&quot;]</translation>
    </message>
    <message>
        <source>a section [mic.gateway] below its [[mic]]</source>
        <translation>在其 [[mic]] 之下的 [mic.gateway] 一节</translation>
    </message>
    <message>
        <source>an operator is pinned to node %1, but the number of nodes is %2</source>
        <translation>有算子固定在节点 %1，而共有 %2 个节点</translation>
    </message>
    <message>
        <source>pin the operator to a node of the cluster</source>
        <translation>请把它固定到集群中的节点</translation>
    </message>
    <message>
        <source>the operator must stay together with operator %1, which is pinned to another node</source>
        <translation>它须与算子 %1 在一起，而后者固定在别处</translation>
    </message>
    <message>
        <source>change one of the pins, or remove the group</source>
        <translation>请更改其中一个固定，或去掉该组</translation>
    </message>
    <message>
        <source>no acyclic partition was found that respects the pins, the groups and the secure nodes</source>
        <translation>没有找到既无环又满足固定、分组和安全节点要求的划分</translation>
    </message>
    <message>
        <source>remove a pin or a group, or mark another node as secure</source>
        <translation>请去掉一个固定或分组，或再标记一个安全节点</translation>
    </message>
    <message>
        <source>no partition was found that fits into the memory of the nodes</source>
        <translation>没有找到能放进节点内存的划分</translation>
    </message>
    <message>
        <source>use more nodes, more micro-batches, or train.recompute = true</source>
        <translation>请使用更多节点、更多微批，或 train.recompute = true</translation>
    </message>
    <message>
        <source>there are no nodes</source>
        <translation>没有节点</translation>
    </message>
    <message>
        <source>give the operators in a topological order, and at least one node</source>
        <translation>请按拓扑顺序给出算子，并至少给出一个节点</translation>
    </message>
    <message>
        <source>the operators form a cycle</source>
        <translation>算子形成了环</translation>
    </message>
    <message>
        <source>the backbone that all heads share has %1 layers, not %2</source>
        <translation>所有任务头共用的主干有 %1 层，而不是 %2 层</translation>
    </message>
    <message>
        <source>use 0 to %1, or -1 for all</source>
        <translation>请取 0 到 %1，或用 -1 表示全部</translation>
    </message>
    <message>
        <source>business segmentation needs a model with several heads</source>
        <translation>按业务切分需要有多个任务头的模型</translation>
    </message>
    <message>
        <source>give each head a loss, as in [train.losses] ads = &quot;cross_entropy&quot;, or use strategy = &quot;layer&quot;</source>
        <translation>请为每个任务头指定损失，例如 [train.losses] ads = &quot;cross_entropy&quot;，或使用 strategy = &quot;layer&quot;</translation>
    </message>
    <message>
        <source>a backbone of %1 layers and %2 branches cannot be divided into %3 stages</source>
        <translation>%1 层的主干和 %2 个分支无法分成 %3 个阶段</translation>
    </message>
    <message>
        <source>use %4 to %5 stages</source>
        <translation>请使用 %4 到 %5 个阶段</translation>
    </message>
    <message>
        <source>no cuts into %1 stages satisfy all rules for where operators run (pins, sensitive operators, branches)</source>
        <translation>没有一种切成 %1 个阶段的方式能让每个算子都位于它必须或可以运行的地方（固定、敏感算子、分支）</translation>
    </message>
    <message>
        <source>use another number of stages, or remove one of these rules</source>
        <translation>请改用其他阶段数，或取消其中一条规则</translation>
    </message>
    <message>
        <source>%1 layers cannot be cut into %2 stages of %3 to %4 layers</source>
        <translation>%1 层无法切成 %2 个各含 %3 到 %4 层的阶段</translation>
    </message>
    <message>
        <source>use fewer stages, or other limits for the number of layers per stage</source>
        <translation>请减少阶段数，或改变每个阶段的层数范围</translation>
    </message>
    <message>
        <source>no choice of %1 allowed cuts gives stages within the limits</source>
        <translation>允许的切分点中没有 %1 个能得到这样的阶段</translation>
    </message>
    <message>
        <source>use fewer stages, or allow more cuts</source>
        <translation>请减少阶段数，或允许更多切分点</translation>
    </message>
    <message>
        <source>the model in %1 stages does not fit into the memory of its devices: one device has %2</source>
        <translation>分成 %1 个阶段的模型放不进设备：其中一个只有 %2</translation>
    </message>
    <message>
        <source>give every device at least %3, or use more stages or smaller micro-batches</source>
        <translation>请让每个设备至少有 %3，或使用更多阶段或更小的微批</translation>
    </message>
    <message>
        <source>there is no device to run a stage</source>
        <translation>没有可运行阶段的设备</translation>
    </message>
    <message>
        <source>use at least one stage</source>
        <translation>请至少使用一个阶段</translation>
    </message>
    <message>
        <source>%1 cannot be cut into %2 with a minimum of %3 per stage</source>
        <translation>%1 无法切成 %2（每段至少 %3 层）</translation>
    </message>
    <message>
        <source>use 1 stage</source>
        <translation>请使用 1 个阶段</translation>
    </message>
    <message>
        <source>use 1 to %4 stages</source>
        <translation>请使用 1 到 %4 个阶段</translation>
    </message>
    <message>
        <source>model &apos;%1&apos; cannot be cut into %2 stages; it has %3 legal cuts</source>
        <translation>模型“%1”无法切成 %2 个阶段；它有 %3 个合法切分点</translation>
    </message>
    <message>
        <source>= %1 takes too long: the search was stopped after iteration %2</source>
        <translation>%1 次耗时过长：搜索在第 %2 次时结束</translation>
    </message>
    <message>
        <source>lower this number, or split.tabu_neighbourhood</source>
        <translation>请减小它，或减小 split.tabu_neighbourhood</translation>
    </message>
    <message>
        <source>there are %1 devices for %2 stages</source>
        <translation>%2 个阶段只有 %1 个设备</translation>
    </message>
    <message>
        <source>use as many stages as devices, or fewer</source>
        <translation>阶段数不应超过设备数</translation>
    </message>
    <message>
        <source>the pins require at least %1 stages: %2</source>
        <translation>这些固定至少需要 %1 个阶段：%2</translation>
    </message>
    <message>
        <source>use split.stages = %1 or more, or pin neighbouring operators to one node</source>
        <translation>请使用 split.stages = %1 或更大，或将相邻算子固定到同一节点</translation>
    </message>
    <message>
        <source>%1 is pinned to &apos;%2&apos;, which is not a node</source>
        <translation>%1 固定在“%2”，而它不是节点</translation>
    </message>
    <message>
        <source>pin the operator to one of these nodes: %3</source>
        <translation>请固定到以下节点之一：%3</translation>
    </message>
    <message>
        <source>%1 is pinned to %2, but place.stages puts no stage there</source>
        <translation>%1 固定在 %2，而 place.stages 没有把任何阶段放在那里</translation>
    </message>
    <message>
        <source>add this node to place.stages, or remove place.stages, so that the planner chooses the nodes</source>
        <translation>请在 place.stages 中列出它，或不指定 place.stages，由搜索确定</translation>
    </message>
    <message>
        <source>%1 is pinned to %2 and %3 to %4, but no legal cut separates these operators</source>
        <translation>%1 固定在 %2，%3 固定在 %4，而二者之间没有切分点</translation>
    </message>
    <message>
        <source>pin both operators to the same node, or use strategy = &quot;block&quot;</source>
        <translation>请把二者固定在同一节点，或使用 strategy = &quot;block&quot;</translation>
    </message>
    <message>
        <source>%1 is sensitive, but no node of the cluster is secure</source>
        <translation>%1 是敏感的，而集群中没有安全节点</translation>
    </message>
    <message>
        <source>%1 is sensitive but pinned to %2, which is not secure</source>
        <translation>%1 是敏感的，却固定在不安全的 %2</translation>
    </message>
    <message>
        <source>pin the operator to %3, or mark the node as secure</source>
        <translation>请把它固定在 %3，或把该节点标为安全</translation>
    </message>
    <message>
        <source>use one of %2</source>
        <translation>可选值：%2</translation>
    </message>
    <message>
        <source>= %1 is less than split.%2 = %3</source>
        <translation>%1 小于 split.%2 = %3</translation>
    </message>
    <message>
        <source>raise this value, or lower the other one</source>
        <translation>请增大它，或减小另一个</translation>
    </message>
    <message>
        <source>use at most %2</source>
        <translation>最多 %2</translation>
    </message>
    <message>
        <source>has a name of %1 bytes</source>
        <translation>有一个 %1 字节的名称</translation>
    </message>
    <message>
        <source>has an empty name</source>
        <translation>含有空名称</translation>
    </message>
    <message>
        <source>name operators, or a scope with everything below it, such as &quot;/encoder/*&quot;</source>
        <translation>请指定算子，或一个作用域及其以下全部，例如 &quot;/encoder/*&quot;</translation>
    </message>
    <message>
        <source>names every operator</source>
        <translation>包含了所有算子</translation>
    </message>
    <message>
        <source>and split.stages exclude each other</source>
        <translation>与 split.stages 不能同时使用</translation>
    </message>
    <message>
        <source>and the range split.least_stages to split.most_stages exclude each other</source>
        <translation>与 split.least_stages 到 split.most_stages 的范围不能同时使用</translation>
    </message>
    <message>
        <source>use a number of layers, or -1 for all layers that every head needs</source>
        <translation>请给出层数，或用 -1 表示所有任务头共需的层</translation>
    </message>
    <message>
        <source>applies only to strategy = &quot;business&quot;</source>
        <translation>只用于 strategy = &quot;business&quot;</translation>
    </message>
    <message>
        <source>= %1 is a version that this build does not support</source>
        <translation>= %1 是此程序不支持的版本</translation>
    </message>
    <message>
        <source>use version = %2</source>
        <translation>请使用 version = %2</translation>
    </message>
    <message>
        <source>%1 takes %2 s, which is not a valid time</source>
        <translation>%1 用时 %2 s，这不是有效时间</translation>
    </message>
    <message>
        <source>repeat the measurement</source>
        <translation>请重新测量</translation>
    </message>
    <message>
        <source>%1 takes %2 s on a crowded host, which is not a valid time</source>
        <translation>%1 在拥挤的主机上用时 %2 s，这不是有效时间</translation>
    </message>
    <message>
        <source>the spread of %1 is %2 s, which is not a valid time</source>
        <translation>%1 的离散为 %2 s，这不是有效时间</translation>
    </message>
    <message>
        <source>%1 must be above zero</source>
        <translation>%1 必须大于零</translation>
    </message>
    <message>
        <source>the %1 time is negative or not finite</source>
        <translation>%1 时间不是有效时间</translation>
    </message>
    <message>
        <source>the number of crowded cores is negative or not finite</source>
        <translation>拥挤时的核数无效</translation>
    </message>
    <message>
        <source>the %1 is negative or not finite</source>
        <translation>%1 为负或不是有限数</translation>
    </message>
    <message>
        <source>a time of a device on this path is negative or not finite</source>
        <translation>设备所用的时间为负或不是有限数</translation>
    </message>
    <message>
        <source>the number of cores is negative or not finite</source>
        <translation>核数为负或不是有限数</translation>
    </message>
    <message>
        <source>cut %1 is not legal, or the cuts are not in ascending order</source>
        <translation>切分点 %1 不在按升序排列的合法切分点之中</translation>
    </message>
    <message>
        <source>choose the cuts with choose_cuts()</source>
        <translation>请用 choose_cuts() 选择切分点</translation>
    </message>
    <message>
        <source>the plan has no cut %1</source>
        <translation>计划没有切分点 %1</translation>
    </message>
    <message>
        <source>choose a cut of this plan</source>
        <translation>请选取它的一个切分点</translation>
    </message>
    <message>
        <source>name one device for every stage</source>
        <translation>请为每个阶段指定一个设备</translation>
    </message>
    <message>
        <source>device &apos;%1&apos; has no profile or is on no known host</source>
        <translation>设备“%1”没有性能数据，或不在已知主机上</translation>
    </message>
    <message>
        <source>give the device a profile and a host</source>
        <translation>请为该设备提供性能档案和主机</translation>
    </message>
    <message>
        <source>another cut lies between these positions</source>
        <translation>中间还有另一个切分点</translation>
    </message>
    <message>
        <source>move the other cut first</source>
        <translation>请先移动那一个</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; would run in %2 but is pinned %3, and %4</source>
        <translation>算子“%1”将落到 %2，而它已固定（%3），并且 %4</translation>
    </message>
    <message>
        <source>keep these operators in different stages, or remove a pin</source>
        <translation>请把它们分开，或取消一个固定</translation>
    </message>
    <message>
        <source>sensitive operator &apos;%1&apos; would run in %2, but %3</source>
        <translation>敏感算子“%1”将落到 %2，而 %3</translation>
    </message>
    <message>
        <source>keep the operator on a secure node</source>
        <translation>请把它留在安全节点上</translation>
    </message>
    <message>
        <source>sensitive operator &apos;%1&apos; would run in %2, but %3, which is not secure</source>
        <translation>敏感算子“%1”将落到 %2，而 %3，该节点不安全</translation>
    </message>
    <message>
        <source>%1 would need %2 of memory, but %3 has only %4</source>
        <translation>%1 将需要 %2，而 %3 只有 %4</translation>
    </message>
    <message>
        <source>use more micro-batches, recompute, or another node</source>
        <translation>请使用更多微批、重算激活值或其他节点</translation>
    </message>
    <message>
        <source>the schedule deadlocks</source>
        <translation>调度陷入停顿</translation>
    </message>
    <message>
        <source>the device has no profile</source>
        <translation>该设备没有性能数据</translation>
    </message>
    <message>
        <source>use default_profile()</source>
        <translation>请使用 default_profile()</translation>
    </message>
    <message>
        <source>device &apos;%1&apos; is on an unknown host</source>
        <translation>设备“%1”不在已知主机上</translation>
    </message>
    <message>
        <source>add the host of the device</source>
        <translation>请列出它的主机</translation>
    </message>
    <message>
        <source>the plan needs one price and one place for each stage, and one size for each channel</source>
        <translation>价格和位置的数目与阶段数不等，或大小的数目与通道数不等</translation>
    </message>
    <message>
        <source>price the plan again</source>
        <translation>请重新计算该计划的价格</translation>
    </message>
    <message>
        <source>the plan has no stage</source>
        <translation>计划没有阶段</translation>
    </message>
    <message>
        <source>is placed on an unknown host</source>
        <translation>它不在已知主机上</translation>
    </message>
    <message>
        <source>%1 s is not a valid time for an operation</source>
        <translation>%1 s 不是操作的有效时间</translation>
    </message>
    <message>
        <source>the time of an operation is negative or not finite</source>
        <translation>这不是操作的有效时间</translation>
    </message>
    <message>
        <source>the size of a tensor is negative</source>
        <translation>有张量的字节数为负</translation>
    </message>
    <message>
        <source>sending a tensor of %1 takes hours</source>
        <translation>%1 的张量需要数小时</translation>
    </message>
    <message>
        <source>the run has no step</source>
        <translation>此次运行没有步</translation>
    </message>
    <message>
        <source>the schedule deadlocks before %1</source>
        <translation>调度在 %1 之前停滞</translation>
    </message>
    <message>
        <source>check_deadlock() names the cycle of waits</source>
        <translation>check_deadlock() 会列出等待的环</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is pinned to %2</source>
        <translation>算子“%1”固定在 %2</translation>
    </message>
    <message>
        <source>that stage is placed on %1</source>
        <translation>该阶段放在 %1 上</translation>
    </message>
    <message>
        <source>no node is secure</source>
        <translation>没有安全节点</translation>
    </message>
    <message>
        <source>the segments wait for each other: %1</source>
        <translation>各分段互相等待：%1</translation>
    </message>
    <message>
        <source>move one of these operators, or an operator that reads the output of one of them, to the other segment</source>
        <translation>请把其中一个算子或依赖它的算子移到另一分段</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is also in %2</source>
        <translation>算子“%1”也在 %2 中</translation>
    </message>
    <message>
        <source>keep the operator in one segment</source>
        <translation>请只保留在其中一个</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is in no segment</source>
        <translation>算子“%1”不属于任何段</translation>
    </message>
    <message>
        <source>add the operator to a segment, or write &quot;*&quot; in the segment that takes all remaining operators</source>
        <translation>请把它加入某个分段，或在接收其余算子的分段中写 &quot;*&quot;</translation>
    </message>
    <message>
        <source>the segment contains no operator that works on data</source>
        <translation>它不含任何处理数据的算子</translation>
    </message>
    <message>
        <source>remove the segment, or name its operators more specifically than other segments do</source>
        <translation>请去掉它，或写出没有其他分段同样确切指定的算子</translation>
    </message>
    <message>
        <source>no operator is called &apos;%1&apos;</source>
        <translation>没有名为“%1”的算子</translation>
    </message>
    <message>
        <source>`divisictl model info --operators` lists all operators</source>
        <translation>`divisictl model info --operators` 会列出它们</translation>
    </message>
    <message>
        <source>a name in this scope is &apos;%2&apos;</source>
        <translation>该作用域中有 &apos;%2&apos;</translation>
    </message>
    <message>
        <source>the model has no output &apos;%1&apos;</source>
        <translation>模型没有输出“%1”</translation>
    </message>
    <message>
        <source>use %2</source>
        <translation>请使用 %2</translation>
    </message>
    <message>
        <source>output &apos;%1&apos; is not computed by any operator</source>
        <translation>输出“%1”不由任何算子计算</translation>
    </message>
    <message>
        <source>choose another output</source>
        <translation>请选择其他输出</translation>
    </message>
    <message>
        <source>value &apos;%1&apos; has no edge from %2 to %3</source>
        <translation>值“%1”没有从 %2 到 %3 的边</translation>
    </message>
    <message>
        <source>derive the edges with make_partition()</source>
        <translation>请用 make_partition 得出各条边</translation>
    </message>
    <message>
        <source>there are edges that no segment needs</source>
        <translation>有些边没有任何分段需要</translation>
    </message>
    <message>
        <source>the stage needs about %1 of memory (%2 for activations), but %3 has only %4</source>
        <translation>它约需 %1（其中激活 %2），而 %3 有 %4</translation>
    </message>
    <message>
        <source>use more stages, more micro-batches, train.recompute = true, or another node</source>
        <translation>请使用更多阶段、更多微批、train.recompute = true，或换一个节点</translation>
    </message>
    <message>
        <source>the cut after node &apos;%1&apos; is listed twice</source>
        <translation>节点“%1”之后的切分点列了两次</translation>
    </message>
    <message>
        <source>list each cut once</source>
        <translation>每个切分点请只列一次</translation>
    </message>
    <message>
        <source>%1 cuts are too many</source>
        <translation>%1 个切分点太多</translation>
    </message>
    <message>
        <source>%1 has no tensor slot for %2 of %3</source>
        <translation>%1 没有用于 %3 的 %2 的张量槽</translation>
    </message>
    <message>
        <source>give every channel at least one tensor slot</source>
        <translation>请给每个通道至少一个张量槽</translation>
    </message>
    <message>
        <source>%1 receives %2 after %3</source>
        <translation>%1 在 %3 之后才取 %2</translation>
    </message>
    <message>
        <source>let every stage process the micro-batches in ascending order</source>
        <translation>请让每个阶段按升序取微批</translation>
    </message>
    <message>
        <source>%1 waits for %2, which %3 never sends</source>
        <translation>%1 等待 %2，而 %3 从不发送它</translation>
    </message>
    <message>
        <source>give every stage every pass of every micro-batch</source>
        <translation>请给每个阶段每个微批的每一趟</translation>
    </message>
    <message>
        <source>%1 sends %2, which %3 never receives</source>
        <translation>%1 发送 %2，而 %3 从不取用它</translation>
    </message>
    <message>
        <source>the schedule deadlocks: %1</source>
        <translation>调度陷入停顿：%1</translation>
    </message>
    <message>
        <source>more tensor slots do not help with this order of passes; use schedule = &quot;gpipe&quot; or &quot;1f1b&quot;</source>
        <translation>无论多少张量槽都无法修正这种趟次顺序；请使用 schedule = &quot;gpipe&quot; 或 &quot;1f1b&quot;</translation>
    </message>
    <message>
        <source>give %2 from %3 more than 1 tensor slot (split.slots), or use an order of passes that keeps fewer tensors waiting</source>
        <translation>请给来自 %3 的 %2 一个以上的张量槽（split.slots），或减少提前运行的趟数</translation>
    </message>
    <message>
        <source>give %2 from %3 more than %4 tensor slots (split.slots), or use an order of passes that keeps fewer tensors waiting</source>
        <translation>请给来自 %3 的 %2 多于 %4 个张量槽（split.slots），或减少提前运行的趟数</translation>
    </message>
    <message>
        <source>the run has already begun</source>
        <translation>运行已经开始</translation>
    </message>
    <message>
        <source>the peer or the caller does not follow the plan; compare their plan hashes</source>
        <translation>对方或调用者没有遵循计划；请比较双方计划的哈希</translation>
    </message>
    <message>
        <source>a tensor arrived that this instance does not expect: %1</source>
        <translation>收到了不属于它的张量：%1</translation>
    </message>
    <message>
        <source>a tensor arrived without a free tensor slot: %1</source>
        <translation>收到张量时没有空闲的张量槽：%1</translation>
    </message>
    <message>
        <source>a tensor slot was freed that this instance never used: %1</source>
        <translation>释放了它从未使用的张量槽：%1</translation>
    </message>
    <message>
        <source>an operation ended that had not been started</source>
        <translation>结束了一个未开始的操作</translation>
    </message>
    <message>
        <source>the segment contains no operator</source>
        <translation>该分段没有算子</translation>
    </message>
    <message>
        <source>use fewer segments</source>
        <translation>请减少分段数</translation>
    </message>
    <message>
        <source>there is no operator %1</source>
        <translation>没有算子 %1</translation>
    </message>
    <message>
        <source>number operators by their canonical order</source>
        <translation>请按规范顺序给算子编号</translation>
    </message>
    <message>
        <source>operator &apos;%1&apos; is also in segment %2</source>
        <translation>算子“%1”也在分段 %2 中</translation>
    </message>
    <message>
        <source>add the operator to a segment</source>
        <translation>请把它加入某个分段</translation>
    </message>
    <message>
        <source>value &apos;%1&apos; of operator &apos;%2&apos; in segment %3 is needed in the earlier segment %4</source>
        <translation>分段 %3 中算子“%2”的值“%1”，在更早的分段 %4 中就需要</translation>
    </message>
    <message>
        <source>move the operator to segment %4, or move the operator that needs the value to a later segment</source>
        <translation>请把该算子移到分段 %4，或把使用它的算子移到其后</translation>
    </message>
    <message>
        <source>the type of value &apos;%1&apos; of operator &apos;%2&apos; is not known, so no segment can end there</source>
        <translation>算子“%2”的值“%1”类型未知，因此分段不能在那里结束</translation>
    </message>
    <message>
        <source>cut the model elsewhere</source>
        <translation>请在别处切分模型</translation>
    </message>
    <message>
        <source>a batch task cannot continue after a step</source>
        <translation>批量任务不能从某一步之后继续</translation>
    </message>
    <message>
        <source>start the task again</source>
        <translation>请重新启动它</translation>
    </message>
    <message>
        <source>a run of %1 steps cannot continue after this step</source>
        <translation>共 %1 步的运行不能在其后继续</translation>
    </message>
    <message>
        <source>choose a step before the last one</source>
        <translation>请指定最后一步之前的某一步</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a schedule</source>
        <translation>“%1”不是调度方式</translation>
    </message>
    <message>
        <source>use gpipe or 1f1b</source>
        <translation>请使用 gpipe 或 1f1b</translation>
    </message>
    <message>
        <source>the model has no output</source>
        <translation>模型没有输出</translation>
    </message>
    <message>
        <source>export the model with an output that a loss can read</source>
        <translation>请导出带有损失可读取的输出的模型</translation>
    </message>
    <message>
        <source>the name of value &apos;%1&apos; is reserved for the loss</source>
        <translation>值“%1”的名称是损失所需要的</translation>
    </message>
    <message>
        <source>rename the node and export the model again</source>
        <translation>请给它改名并重新导出模型</translation>
    </message>
    <message>
        <source>rename the value and export the model again</source>
        <translation>请给它改名并重新导出模型</translation>
    </message>
    <message>
        <source>the name of node &apos;%1&apos; is reserved for the loss</source>
        <translation>节点“%1”的名称是损失所需要的</translation>
    </message>
    <message>
        <source>is not a floating-point value, so a loss cannot train it</source>
        <translation>不是浮点值，因此没有损失能训练它</translation>
    </message>
    <message>
        <source>choose another output with model.output</source>
        <translation>请用 model.output 选择另一个输出</translation>
    </message>
    <message>
        <source>is not computed by any operator</source>
        <translation>没有任何算子计算它</translation>
    </message>
    <message>
        <source>has an unknown size</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <source>bind its dimensions in [model.symbols]</source>
        <translation>请在 [model.symbols] 中绑定它的维度</translation>
    </message>
    <message>
        <source>is not of the form [samples, ..., classes] that cross-entropy needs</source>
        <translation>不是交叉熵所需的 [样本, ..., 类别] 形式</translation>
    </message>
    <message>
        <source>use loss = &quot;mse&quot;, or choose another output with model.output</source>
        <translation>请使用 loss = &quot;mse&quot;，或用 model.output 选择另一个输出</translation>
    </message>
    <message>
        <source>has only one class in its last dimension</source>
        <translation>最后一维只有一个类别</translation>
    </message>
    <message>
        <source>use loss = &quot;mse&quot;</source>
        <translation>请使用 loss = &quot;mse&quot;</translation>
    </message>
    <message>
        <source>has %1 classes, but the data has %2</source>
        <translation>有 %1 个类别，而数据有 %2 个</translation>
    </message>
    <message>
        <source>use a model with at least as many classes as the data</source>
        <translation>请使用类别数不少于数据的模型</translation>
    </message>
    <message>
        <source>has a type that does not allow it to be one of several heads</source>
        <translation>不能是多个任务头之一</translation>
    </message>
    <message>
        <source>convert the output to float32 in the model</source>
        <translation>请在模型中将它转换为 float32</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a loss</source>
        <translation>“%1”不是损失</translation>
    </message>
    <message>
        <source>use cross_entropy or mse</source>
        <translation>请使用 cross_entropy 或 mse</translation>
    </message>
    <message>
        <source>the model has no place where it can be cut</source>
        <translation>模型没有可切分之处</translation>
    </message>
    <message>
        <source>run it as one stage</source>
        <translation>请作为一个阶段运行</translation>
    </message>
    <message>
        <source>no node of the model has this name</source>
        <translation>模型中没有这个名称的节点</translation>
    </message>
    <message>
        <source>did you mean %1? `divisictl model info` lists all cuts</source>
        <translation>您是否想写 %1？`divisictl model info` 会列出所有切分点</translation>
    </message>
    <message>
        <source>the model has %1 legal cuts</source>
        <translation>模型有 %1 个合法切分点</translation>
    </message>
    <message>
        <source>give an index from 0 to %2, or a node&apos;s name</source>
        <translation>请给出 0 到 %2 的序号，或节点名称</translation>
    </message>
    <message>
        <source>a cut after this node would leave one side without work or data</source>
        <translation>在此节点之后切分会使一侧没有工作或数据</translation>
    </message>
    <message>
        <source>the nearest legal cuts are after %1</source>
        <translation>最近的合法切分点在 %1 之后</translation>
    </message>
    <message>
        <source>cut %1 does not exist</source>
        <translation>切分点 %1 不存在</translation>
    </message>
    <message>
        <source>the model has %2 legal cuts</source>
        <translation>模型有 %2 个合法切分点</translation>
    </message>
    <message>
        <source>cut %1 is not after the previous cut</source>
        <translation>切分点 %1 不在它前一个切分点之后</translation>
    </message>
    <message>
        <source>list each cut once, in the order of the model</source>
        <translation>请按模型中的顺序列出每个切分点，各一次</translation>
    </message>
    <message>
        <source>value &apos;%1&apos; is produced here and by %2</source>
        <translation>值“%1”由此处和 %2 同时产生</translation>
    </message>
    <message>
        <source>give each output a name of its own</source>
        <translation>请给每个输出各自的名称</translation>
    </message>
    <message>
        <source>its output &apos;%1&apos; is also an input of the graph</source>
        <translation>它的输出“%1”同时又是图的输入</translation>
    </message>
    <message>
        <source>its input &apos;%1&apos; is not an output of a node, a graph input or an initializer</source>
        <translation>它的输入“%1”既不是输出，也不是图的输入或初始值</translation>
    </message>
    <message>
        <source>export the model again, or add the missing value</source>
        <translation>请重新导出模型，或给缺失的值命名</translation>
    </message>
    <message>
        <source>output &apos;%1&apos; is not computed by any node</source>
        <translation>没有任何节点计算输出“%1”</translation>
    </message>
    <message>
        <source>remove the output, or export the model again</source>
        <translation>请删除该输出，或重新导出模型</translation>
    </message>
    <message>
        <source>the graph has a cycle: %1</source>
        <translation>图中有环：%1</translation>
    </message>
    <message>
        <source>a model must be acyclic; remove the cycle where the model is exported</source>
        <translation>模型必须无环；请在导出处断开该环</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>check the sizes that the task binds, or export the model again</source>
        <translation>请检查任务绑定的大小，或重新导出模型</translation>
    </message>
    <message>
        <source>operator %1 contains a sub-graph, which Divisi does not support</source>
        <translation>算子 %1 含有子图，Divisi 无法运行它</translation>
    </message>
    <message>
        <source>export the model without data-dependent control flow (trace it, with fixed loop counts)</source>
        <translation>请导出不含依赖数据的控制流的模型（用追踪方式，循环次数固定）</translation>
    </message>
    <message>
        <source>operator %1 %2 is not supported</source>
        <translation>不支持算子 %1 %2</translation>
    </message>
    <message>
        <source>replace the operator in the model, or export it in another form</source>
        <translation>请在模型中替换它，或以其他形式导出</translation>
    </message>
    <message>
        <source>operator %1 belongs to a domain that Divisi does not know</source>
        <translation>算子 %1 属于 Divisi 不认识的域</translation>
    </message>
    <message>
        <source>export with standard ONNX operators only (opset 17)</source>
        <translation>请只用标准 ONNX 算子导出（opset 17）</translation>
    </message>
    <message>
        <source>operator %1 is not supported</source>
        <translation>不支持算子 %1</translation>
    </message>
    <message>
        <source>replace the operator in the model, or export it as simpler operators</source>
        <translation>请在模型中替换它，或导出为更简单的算子</translation>
    </message>
    <message>
        <source>a dimension cannot be %1</source>
        <translation>维度不能为 %1</translation>
    </message>
    <message>
        <source>bind the dimension to 0 or more</source>
        <translation>请绑定为不小于 0 的值</translation>
    </message>
    <message>
        <source>the model fixes this dimension to %1, but the task binds it to %2</source>
        <translation>模型将此维度固定为 %1，而任务将其绑定为 %2</translation>
    </message>
    <message>
        <source>bind %1, or export the model with this dimension dynamic</source>
        <translation>请绑定 %1，或导出此维度为动态的模型</translation>
    </message>
    <message>
        <source>no input of the model has a dimension of this name</source>
        <translation>模型的输入没有这个名称的维度</translation>
    </message>
    <message>
        <source>the model has no open dimension</source>
        <translation>模型没有未定的维度</translation>
    </message>
    <message>
        <source>the zoo has no such model</source>
        <translation>模型库中没有这个模型</translation>
    </message>
    <message>
        <source>the model has no size &apos;%1&apos;</source>
        <translation>模型没有尺寸“%1”</translation>
    </message>
    <message>
        <source>use one of these sizes (with defaults): %2</source>
        <translation>可选（及默认值）：%2</translation>
    </message>
    <message>
        <source>%1 = %2 is out of range</source>
        <translation>%1 = %2 超出范围</translation>
    </message>
    <message>
        <source>give %1 (%3) from %4 to %5</source>
        <translation>请给出 %4 到 %5 的 %1（%3）</translation>
    </message>
    <message>
        <source>a micro-batch cannot have %1 rows</source>
        <translation>微批有 %1 行</translation>
    </message>
    <message>
        <source>give at least one row</source>
        <translation>请至少给一行</translation>
    </message>
    <message>
        <source>width %1 is not divisible by heads %2</source>
        <translation>width %1 不能被 heads %2 整除</translation>
    </message>
    <message>
        <source>make width a multiple of heads</source>
        <translation>请使 width 为 heads 的倍数</translation>
    </message>
    <message>
        <source>image %1 is not divisible by patch %2</source>
        <translation>image %1 不能被 patch %2 整除</translation>
    </message>
    <message>
        <source>make image a multiple of patch</source>
        <translation>请使 image 为 patch 的倍数</translation>
    </message>
    <message>
        <source>contains a sub-graph, which cannot be written</source>
        <translation>含有无法写出的子图</translation>
    </message>
    <message>
        <source>attribute &apos;%1&apos; has the kind %2, which no supported operator uses</source>
        <translation>属性“%1”的类型是 %2，此处没有算子接受它</translation>
    </message>
    <message>
        <source>export the model with dense tensors and without control flow</source>
        <translation>请以稠密张量、不带控制流导出模型</translation>
    </message>
    <message>
        <source>Constant must have exactly one attribute</source>
        <translation>Constant 必须恰有一个属性</translation>
    </message>
    <message>
        <source>export the model again</source>
        <translation>请重新导出模型</translation>
    </message>
    <message>
        <source>has no data</source>
        <translation>没有数据</translation>
    </message>
    <message>
        <source>train the model, or provide its weights</source>
        <translation>请训练模型，或给出其权重</translation>
    </message>
    <message>
        <source>has data of another type or size</source>
        <translation>得到的数据类型或大小不符</translation>
    </message>
    <message>
        <source>provide %1 data in the shape of the initializer</source>
        <translation>请按初始值的形状给出 %1 数据</translation>
    </message>
    <message>
        <source>the model does not fit into one file</source>
        <translation>模型放不进一个文件</translation>
    </message>
    <message>
        <source>lower inline_limit</source>
        <translation>请降低 inline_limit</translation>
    </message>
    <message>
        <source>the model&apos;s folder does not exist</source>
        <translation>模型所在的文件夹已不存在</translation>
    </message>
    <message>
        <source>check the path</source>
        <translation>请检查路径</translation>
    </message>
    <message>
        <source>external data &apos;%1&apos; cannot be found: %2</source>
        <translation>找不到外部数据“%1”：%2</translation>
    </message>
    <message>
        <source>copy the data file beside the model</source>
        <translation>请把数据文件复制到模型旁边</translation>
    </message>
    <message>
        <source>external data &apos;%1&apos; has no usable file name</source>
        <translation>外部数据“%1”没有可用的文件名</translation>
    </message>
    <message>
        <source>store external data inside the model&apos;s folder, and name it relative to this folder</source>
        <translation>外部数据必须位于模型自己的文件夹中，并以相对路径指定</translation>
    </message>
    <message>
        <source>external data &apos;%1&apos; is an absolute path</source>
        <translation>外部数据“%1”是绝对路径</translation>
    </message>
    <message>
        <source>external data &apos;%1&apos; leaves the model&apos;s folder by &apos;..&apos;</source>
        <translation>外部数据“%1”通过“..”离开了模型的文件夹</translation>
    </message>
    <message>
        <source>external data &apos;%1&apos; leaves the model&apos;s folder by a symbolic link</source>
        <translation>外部数据“%1”通过符号链接离开了模型的文件夹</translation>
    </message>
    <message>
        <source>the status of the file cannot be read: %1</source>
        <translation>无法检查：%1</translation>
    </message>
    <message>
        <source>is a folder</source>
        <translation>是文件夹</translation>
    </message>
    <message>
        <source>name the file inside it</source>
        <translation>请指定其中的文件</translation>
    </message>
    <message>
        <source>is not a regular file</source>
        <translation>不是普通文件</translation>
    </message>
    <message>
        <source>name a file on a disk</source>
        <translation>请指定磁盘上的文件</translation>
    </message>
    <message>
        <source>has %1, more than the limit of %2</source>
        <translation>大小为 %1，超过上限 %2</translation>
    </message>
    <message>
        <source>use a smaller model, or keep its weights as external data</source>
        <translation>请使用较小的模型，或把权重存为外部数据</translation>
    </message>
    <message>
        <source>cannot be mapped: %1</source>
        <translation>无法映射到内存：%1</translation>
    </message>
    <message>
        <source>free some memory</source>
        <translation>请释放一些内存</translation>
    </message>
    <message>
        <source>cannot be opened: %1</source>
        <translation>无法打开：%1</translation>
    </message>
    <message>
        <source>check the path and its permissions</source>
        <translation>请检查路径及其权限</translation>
    </message>
    <message>
        <source>has more than %1 nodes</source>
        <translation>节点超过 %1 个</translation>
    </message>
    <message>
        <source>export the model without deeply nested functions</source>
        <translation>请导出不含深层嵌套函数的模型</translation>
    </message>
    <message>
        <source>nests function calls more than %1 levels deep</source>
        <translation>函数相互调用超过 %1 层</translation>
    </message>
    <message>
        <source>make sure that no function calls itself</source>
        <translation>函数不得调用自身</translation>
    </message>
    <message>
        <source>function &apos;%1&apos; uses %2 of opset %3, but the model uses opset %4</source>
        <translation>函数“%1”使用 opset %3 的 %2，而模型是 opset %4</translation>
    </message>
    <message>
        <source>export the model and its functions for one opset</source>
        <translation>请按同一 opset 导出模型及其函数</translation>
    </message>
    <message>
        <source>has more inputs or outputs than the function that it calls</source>
        <translation>的输入或输出多于该函数</translation>
    </message>
    <message>
        <source>expands to more than %1</source>
        <translation>展开后超过 %1</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>is %1; only tensors are supported</source>
        <translation>是 %1；只能运行张量</translation>
    </message>
    <message>
        <source>export the model with tensors as inputs and outputs</source>
        <translation>请以张量作为输入和输出导出模型</translation>
    </message>
    <message>
        <source>has the unsupported element type number %1</source>
        <translation>元素类型编号为 %1</translation>
    </message>
    <message>
        <source>export the model in float32, float16 or bfloat16</source>
        <translation>请以 float32、float16 或 bfloat16 导出模型</translation>
    </message>
    <message>
        <source>is a sparse initializer</source>
        <translation>是稀疏初始值</translation>
    </message>
    <message>
        <source>store it as a dense initializer</source>
        <translation>请存为稠密初始值</translation>
    </message>
    <message>
        <source>is defined twice</source>
        <translation>定义了两次</translation>
    </message>
    <message>
        <source>holds strings; only numbers are supported</source>
        <translation>含字符串；只能运行数字</translation>
    </message>
    <message>
        <source>convert text to numbers before it enters the model</source>
        <translation>请在模型之前把文本转换为数字</translation>
    </message>
    <message>
        <source>an initializer has no name</source>
        <translation>有初始值没有名称</translation>
    </message>
    <message>
        <source>an input has no name</source>
        <translation>有输入没有名称</translation>
    </message>
    <message>
        <source>names no operator</source>
        <translation>没有指明算子</translation>
    </message>
    <message>
        <source>refers to an attribute of a function, but is not inside a function</source>
        <translation>引用了函数的属性，却不在函数中</translation>
    </message>
    <message>
        <source>has the attribute &apos;%1&apos; twice</source>
        <translation>属性“%1”出现了两次</translation>
    </message>
    <message>
        <source>must have one output</source>
        <translation>必须有一个输出</translation>
    </message>
    <message>
        <source>is not computed by any node</source>
        <translation>没有任何节点计算它</translation>
    </message>
    <message>
        <source>the graph has no output</source>
        <translation>图没有输出</translation>
    </message>
    <message>
        <source>is not a complete ONNX model: a part of it cannot be parsed</source>
        <translation>不是完整的 ONNX 模型：其中一部分无法解析</translation>
    </message>
    <message>
        <source>the file is damaged, nested too deeply or of another kind; export or copy it again</source>
        <translation>文件已损坏、嵌套过深或属于其他类型；请重新导出或复制</translation>
    </message>
    <message>
        <source>has no known type</source>
        <translation>类型未知</translation>
    </message>
    <message>
        <source>infer shapes before writing the model</source>
        <translation>请先推断形状再写出模型</translation>
    </message>
    <message>
        <source>has the ONNX IR version %1; versions %2 to %3 are supported</source>
        <translation>ONNX IR 版本为 %1；可读取的版本为 %2 到 %3</translation>
    </message>
    <message>
        <source>export again with torch.onnx.export(model, inputs, path, opset_version=17)</source>
        <translation>请用 torch.onnx.export(model, inputs, path, opset_version=17) 重新导出</translation>
    </message>
    <message>
        <source>imports two versions of the operator set &apos;%1&apos;</source>
        <translation>导入了算子集“%1”的两个版本</translation>
    </message>
    <message>
        <source>is written for opset %1; opsets %2 to %3 are supported</source>
        <translation>使用 opset %1；可读取的 opset 为 %2 到 %3</translation>
    </message>
    <message>
        <source>uses the operator set &apos;%1&apos;, which the model does not import</source>
        <translation>使用了算子集“%1”，而模型没有导入它</translation>
    </message>
    <message>
        <source>export the model again, or add the missing opset_import</source>
        <translation>请重新导出模型，或补上缺少的 opset_import</translation>
    </message>
    <message>
        <source>does not fit its operator: %1</source>
        <translation>与其算子不符：%1</translation>
    </message>
    <message>
        <source>the skeleton was damaged in transit; send it again</source>
        <translation>骨架在传送中损坏；请重新发送</translation>
    </message>
    <message>
        <source>has no valid rule for its initial values</source>
        <translation>没有有效的初始化规则</translation>
    </message>
    <message>
        <source>has no valid position in the weights file</source>
        <translation>在权重文件中没有有效位置</translation>
    </message>
    <message>
        <source>has a length that does not match its shape</source>
        <translation>长度与形状不符</translation>
    </message>
    <message>
        <source>is too large for a skeleton, and no weights file contains it</source>
        <translation>对骨架而言过大，又不在任何权重文件中</translation>
    </message>
    <message>
        <source>call place_weights() first</source>
        <translation>请先调用 place_weights()</translation>
    </message>
    <message>
        <source>the skeleton has %1, more than the limit of %2</source>
        <translation>骨架有 %1，超过上限 %2</translation>
    </message>
    <message>
        <source>use a model with fewer operators</source>
        <translation>请使用算子较少的模型</translation>
    </message>
    <message>
        <source>is larger than %1</source>
        <translation>大于 %1</translation>
    </message>
    <message>
        <source>is not in a weights file</source>
        <translation>不在任何权重文件中</translation>
    </message>
    <message>
        <source>use its data or its random rule</source>
        <translation>请使用它的数据或随机规则</translation>
    </message>
    <message>
        <source>needs %1 bytes at offset %2, but the file has %3 bytes</source>
        <translation>在 %2 处需要 %1 字节，而文件有 %3 字节</translation>
    </message>
    <message>
        <source>fetch the weights file again</source>
        <translation>请重新获取权重文件</translation>
    </message>
    <message>
        <source>external data has the invalid %1 &apos;%2&apos;</source>
        <translation>外部数据的 %1 为“%2”</translation>
    </message>
    <message>
        <source>the file is damaged, or its exporter has a fault; export the model again</source>
        <translation>文件已损坏或导出程序有误；请重新导出模型</translation>
    </message>
    <message>
        <source>has external data, but the model has no folder</source>
        <translation>模型没有文件夹，却有外部数据</translation>
    </message>
    <message>
        <source>open the model as a file</source>
        <translation>请以文件形式打开模型</translation>
    </message>
    <message>
        <source>needs %1 bytes of external data, but the model declares %2</source>
        <translation>需要 %1 字节外部数据，而模型写明 %2 字节</translation>
    </message>
    <message>
        <source>needs %1 bytes at offset %2 of external data &apos;%3&apos;, which has only %4</source>
        <translation>在外部数据“%3”的 %2 处需要 %1 字节，而它有 %4 字节</translation>
    </message>
    <message>
        <source>has %1 dimensions</source>
        <translation>有 %1 个维度</translation>
    </message>
    <message>
        <source>use at most %2 dimensions</source>
        <translation>最多 %2 个</translation>
    </message>
    <message>
        <source>has the negative dimension %1</source>
        <translation>有负的维度 %1</translation>
    </message>
    <message>
        <source>has dimensions whose product overflows</source>
        <translation>各维度之积溢出</translation>
    </message>
    <message>
        <source>is stored in segments</source>
        <translation>是分段存储的</translation>
    </message>
    <message>
        <source>holds a number of strings that does not match its shape</source>
        <translation>字符串数目与形状不符</translation>
    </message>
    <message>
        <source>holds %1 bytes, but its shape needs %2</source>
        <translation>有 %1 字节，而其形状需要 %2 字节</translation>
    </message>
    <message>
        <source>holds %1 numbers, but its shape needs %2</source>
        <translation>有 %1 个数，而其形状需要 %2 个</translation>
    </message>
    <message>
        <source>is not a tensor</source>
        <translation>不是张量</translation>
    </message>
    <message>
        <source>the test case is damaged</source>
        <translation>测试用例已损坏</translation>
    </message>
    <message>
        <source>holds a sequence or an optional value; only tensors are supported</source>
        <translation>含序列或可选值；只能运行张量</translation>
    </message>
    <message>
        <source>leave this case out</source>
        <translation>请跳过此用例</translation>
    </message>
    <message>
        <source>contains no model.onnx in any folder</source>
        <translation>没有任何文件夹含有 model.onnx</translation>
    </message>
    <message>
        <source>name a folder of ONNX test cases</source>
        <translation>请指定 ONNX 测试用例的文件夹</translation>
    </message>
    <message>
        <source>has %1 inputs, but the model has %2</source>
        <translation>有 %1 个输入，而模型有 %2 个</translation>
    </message>
    <message>
        <source>input &apos;%1&apos; does not have the same rank as in the model</source>
        <translation>输入“%1”的秩与模型中不同</translation>
    </message>
    <message>
        <source>&apos;%1&apos; matches no initializer</source>
        <translation>“%1”不匹配任何初始值</translation>
    </message>
    <message>
        <source>use the initializer names of the model file; end a prefix with &apos;*&apos;</source>
        <translation>请使用模型文件中初始值的名称；前缀请以“*”结尾</translation>
    </message>
    <message>
        <source>contains two graphs</source>
        <translation>含有两个图</translation>
    </message>
    <message>
        <source>nests sub-graphs deeper than %1 levels</source>
        <translation>子图嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>export the model without nested If, Loop and Scan</source>
        <translation>请导出不含嵌套 If、Loop 和 Scan 的模型</translation>
    </message>
    <message>
        <source>contains more than %1 in addition to the data of its initializers</source>
        <translation>除初始值数据外超过 %1</translation>
    </message>
    <message>
        <source>keep large constants as initializers with raw data</source>
        <translation>请将大常量存为带原始数据的初始值</translation>
    </message>
    <message>
        <source>is not an ONNX model</source>
        <translation>不是 ONNX 模型</translation>
    </message>
    <message>
        <source>export one, for example with torch.onnx.export(model, inputs, &quot;model.onnx&quot;, opset_version=17)</source>
        <translation>请导出一个，例如 torch.onnx.export(model, inputs, &quot;model.onnx&quot;, opset_version=17)</translation>
    </message>
    <message>
        <source>export or copy the model again</source>
        <translation>请重新导出或复制模型</translation>
    </message>
    <message>
        <source>is not a complete ONNX model: byte %1 does not begin a valid field</source>
        <translation>不是完整的 ONNX 模型：字节 %1 处没有有效字段</translation>
    </message>
    <message>
        <source>the file is truncated, damaged or of another kind; export or copy it again</source>
        <translation>文件不完整、已损坏或类型不对；请重新导出或复制</translation>
    </message>
    <message>
        <source>is not a complete ONNX model: byte %1 announces %2 bytes, but only %3 follow</source>
        <translation>不是完整的 ONNX 模型：字节 %1 处称后面有 %2 字节，实际只有 %3 字节</translation>
    </message>
    <message>
        <source>is not a complete ONNX model: the number at byte %1 is cut off</source>
        <translation>不是完整的 ONNX 模型：字节 %1 处的数字不完整</translation>
    </message>
    <message>
        <source>name a file</source>
        <translation>请指定文件</translation>
    </message>
    <message>
        <source>is a folder, not a %1</source>
        <translation>是文件夹，而不是 %1</translation>
    </message>
    <message>
        <source>name the file in this folder</source>
        <translation>请指定其中的文件</translation>
    </message>
    <message>
        <source>is too long for a %1</source>
        <translation>对 %1 来说太长</translation>
    </message>
    <message>
        <source>the folder is in use by process %1</source>
        <translation>该文件夹正被进程 %1 使用</translation>
    </message>
    <message>
        <source>end that process, or use another folder</source>
        <translation>请结束该进程，或使用其他文件夹</translation>
    </message>
    <message>
        <source>cannot %1: %2</source>
        <translation>无法%1：%2</translation>
    </message>
    <message>
        <source>free some space there, or use another folder; nothing was half-written</source>
        <translation>请在那里释放一些空间，或使用其他文件夹；没有写下不完整的内容</translation>
    </message>
    <message>
        <source>raise the limit on open files (ulimit -n)</source>
        <translation>请提高打开文件数的上限（ulimit -n）</translation>
    </message>
    <message>
        <source>the file system is mounted read-only; use another folder</source>
        <translation>文件系统以只读方式挂载；请使用其他文件夹</translation>
    </message>
    <message>
        <source>check its permissions, or use another folder</source>
        <translation>请检查其权限，或使用其他文件夹</translation>
    </message>
    <message>
        <source>a part of the path is a file; use another folder</source>
        <translation>路径中的一部分是文件；请使用其他文件夹</translation>
    </message>
    <message>
        <source>use a shorter path</source>
        <translation>请使用较短的路径</translation>
    </message>
    <message>
        <source>check the disk</source>
        <translation>请检查磁盘</translation>
    </message>
    <message>
        <source>check the path and the disk</source>
        <translation>请检查路径和磁盘</translation>
    </message>
    <message>
        <source>change the mode</source>
        <translation>更改权限</translation>
    </message>
    <message>
        <source>create the file</source>
        <translation>创建文件</translation>
    </message>
    <message>
        <source>create the recording</source>
        <translation>创建录制文件</translation>
    </message>
    <message>
        <source>find the folder</source>
        <translation>找到文件夹</translation>
    </message>
    <message>
        <source>keep the file as a blob</source>
        <translation>将文件存为数据块</translation>
    </message>
    <message>
        <source>list the folder</source>
        <translation>列出文件夹</translation>
    </message>
    <message>
        <source>lock the folder</source>
        <translation>锁定文件夹</translation>
    </message>
    <message>
        <source>make a folder</source>
        <translation>创建文件夹</translation>
    </message>
    <message>
        <source>make the blob folder</source>
        <translation>创建数据块文件夹</translation>
    </message>
    <message>
        <source>make the folder</source>
        <translation>创建文件夹</translation>
    </message>
    <message>
        <source>open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>open the recording</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>read the file</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>read the recording</source>
        <translation>读取录制文件</translation>
    </message>
    <message>
        <source>rename the file</source>
        <translation>重命名文件</translation>
    </message>
    <message>
        <source>rename the folder</source>
        <translation>重命名文件夹</translation>
    </message>
    <message>
        <source>sync the file</source>
        <translation>同步文件</translation>
    </message>
    <message>
        <source>sync the folder</source>
        <translation>同步文件夹</translation>
    </message>
    <message>
        <source>sync the recording</source>
        <translation>同步录制</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>write a blob</source>
        <translation>写入数据块</translation>
    </message>
    <message>
        <source>write the file</source>
        <translation>写入文件</translation>
    </message>
    <message>
        <source>write the recording</source>
        <translation>写入录制文件</translation>
    </message>
    <message>
        <source>write to the folder</source>
        <translation>写入文件夹</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>text follows a quoted field</source>
        <translation>带引号的字段之后还有文本</translation>
    </message>
    <message>
        <source>follow RFC 4180: put quotes around the field, and double the quotes within it</source>
        <translation>请按 RFC 4180 书写：字段两侧加引号，其中的引号写两次</translation>
    </message>
    <message>
        <source>a quote begins within a field</source>
        <translation>字段中间出现引号</translation>
    </message>
    <message>
        <source>a quoted field does not end</source>
        <translation>带引号的字段没有结束</translation>
    </message>
    <message>
        <source>has an unknown unit</source>
        <translation>单位未知</translation>
    </message>
    <message>
        <source>the orchestrator ends</source>
        <translation>编排器正在结束</translation>
    </message>
    <message>
        <source>another process has locked the database</source>
        <translation>另一进程占用数据库</translation>
    </message>
    <message>
        <source>end that process, then try again</source>
        <translation>请结束它，然后重试</translation>
    </message>
    <message>
        <source>the database is damaged, so no backup is made: %1</source>
        <translation>数据库已损坏，因此不做备份：%1</translation>
    </message>
    <message>
        <source>restore an older backup</source>
        <translation>请恢复较早的备份</translation>
    </message>
    <message>
        <source>the folder is not empty</source>
        <translation>文件夹不为空</translation>
    </message>
    <message>
        <source>name a folder that does not exist yet</source>
        <translation>请指定一个尚不存在的文件夹</translation>
    </message>
    <message>
        <source>is not empty; a backup can only be restored into an empty folder</source>
        <translation>不为空，而备份只能恢复到空文件夹</translation>
    </message>
    <message>
        <source>start without --restore to use the existing data, or name another folder</source>
        <translation>请不带 --restore 启动以沿用已有内容，或指定其他文件夹</translation>
    </message>
    <message>
        <source>use another backup</source>
        <translation>请使用另一个备份</translation>
    </message>
    <message>
        <source>is damaged: it differs from the manifest</source>
        <translation>已损坏：与清单不符</translation>
    </message>
    <message>
        <source>is not a backup: it has no manifest</source>
        <translation>不是备份：没有清单</translation>
    </message>
    <message>
        <source>name a folder that &apos;divisictl backup&apos; made</source>
        <translation>请指定 &apos;divisictl backup&apos; 生成的文件夹</translation>
    </message>
    <message>
        <source>is not an absolute path</source>
        <translation>不是绝对路径</translation>
    </message>
    <message>
        <source>give the folder&apos;s absolute path on the orchestrator&apos;s machine</source>
        <translation>请用编排器所在机器上的绝对路径指定文件夹</translation>
    </message>
    <message>
        <source>already exists</source>
        <translation>已经存在</translation>
    </message>
    <message>
        <source>an interrupted backup has left this folder</source>
        <translation>一个中断的备份留下了此文件夹</translation>
    </message>
    <message>
        <source>remove the folder, unless another process is still writing it</source>
        <translation>请删除它，除非另一进程正在生成它</translation>
    </message>
    <message>
        <source>an interrupted restore has left this folder</source>
        <translation>一个中断的恢复留下了此文件夹</translation>
    </message>
    <message>
        <source>is not the manifest of a backup</source>
        <translation>不是备份的清单</translation>
    </message>
    <message>
        <source>belongs to a backup of version %1; this program reads versions up to %2</source>
        <translation>属于版本 %1 的备份，而此程序只认识到版本 %2</translation>
    </message>
    <message>
        <source>use the newer program</source>
        <translation>请使用较新的程序</translation>
    </message>
    <message>
        <source>is damaged: its checksum or a line is wrong</source>
        <translation>已损坏：校验和或某一行有误</translation>
    </message>
    <message>
        <source>not a file</source>
        <translation>不是文件</translation>
    </message>
    <message>
        <source>give a file</source>
        <translation>请给出文件</translation>
    </message>
    <message>
        <source>the file is larger than %1</source>
        <translation>文件大于 %1</translation>
    </message>
    <message>
        <source>place the file on the nodes and name it as node:/path</source>
        <translation>请将它放到各节点上，并写作 node:/路径</translation>
    </message>
    <message>
        <source>has changed or vanished while it was read</source>
        <translation>在读取时被改动或消失</translation>
    </message>
    <message>
        <source>submit the task again, and do not change the file until the task runs</source>
        <translation>在任务运行之前请勿改动，然后重新提交</translation>
    </message>
    <message>
        <source>not a blob&apos;s hash: %1</source>
        <translation>不是数据块的哈希：%1</translation>
    </message>
    <message>
        <source>describe the file again</source>
        <translation>请重新描述文件</translation>
    </message>
    <message>
        <source>the description of a blob is inconsistent</source>
        <translation>数据块的描述前后不一</translation>
    </message>
    <message>
        <source>the blob has no piece %1</source>
        <translation>没有第 %1 片</translation>
    </message>
    <message>
        <source>piece %1 does not match its checksum</source>
        <translation>第 %1 片与其校验和不符</translation>
    </message>
    <message>
        <source>send the piece again; if this repeats, the file has changed and must be described again</source>
        <translation>请重新发送；如仍如此，则文件已改变，须重新描述</translation>
    </message>
    <message>
        <source>%1 pieces of the blob are missing</source>
        <translation>缺少 %1 片</translation>
    </message>
    <message>
        <source>send these pieces first</source>
        <translation>请先发送它们</translation>
    </message>
    <message>
        <source>the complete blob does not match its hash</source>
        <translation>完整的数据块与其哈希不符</translation>
    </message>
    <message>
        <source>the incomplete blob was removed</source>
        <translation>已开始的部分被删除</translation>
    </message>
    <message>
        <source>upload the blob again</source>
        <translation>请重新传送</translation>
    </message>
    <message>
        <source>there is no blob %1</source>
        <translation>没有数据块 %1</translation>
    </message>
    <message>
        <source>upload it first</source>
        <translation>请先上传</translation>
    </message>
    <message>
        <source>the blob&apos;s bytes have changed on the disk</source>
        <translation>数据块在磁盘上的内容已改变</translation>
    </message>
    <message>
        <source>remove the blob, and upload it again</source>
        <translation>请删除它并重新传送</translation>
    </message>
    <message>
        <source>the blob store is full (%1)</source>
        <translation>数据块存储已满（%1）</translation>
    </message>
    <message>
        <source>remove old versions, or raise the limit of the store</source>
        <translation>请删除旧版本，或给它更多空间</translation>
    </message>
    <message>
        <source>row %1 of table %2 is damaged: its checksum is wrong</source>
        <translation>表 %2 的第 %1 行已损坏：校验和有误</translation>
    </message>
    <message>
        <source>move the file away; the instance makes a new one when it starts</source>
        <translation>请移走该文件；实例启动时会新建一个</translation>
    </message>
    <message>
        <source>the file system is mounted read-only</source>
        <translation>文件系统以只读方式挂载</translation>
    </message>
    <message>
        <source>look for disk errors in the system log and mount the file system writable again, or use another folder</source>
        <translation>请在系统日志中查看磁盘错误并重新以可写方式挂载，或使用其他文件夹</translation>
    </message>
    <message>
        <source>free some space; nothing was half-written</source>
        <translation>请腾出空间；没有写入一半的内容</translation>
    </message>
    <message>
        <source>not a sound database: %1</source>
        <translation>数据库不完好：%1</translation>
    </message>
    <message>
        <source>move the file away and start again, or restore a copy of it</source>
        <translation>请移走它并重新启动，或恢复副本</translation>
    </message>
    <message>
        <source>cannot open the database: %1</source>
        <translation>无法打开数据库：%1</translation>
    </message>
    <message>
        <source>check the folder&apos;s permissions</source>
        <translation>请检查文件夹的权限</translation>
    </message>
    <message>
        <source>the disk reports an error: %1</source>
        <translation>磁盘报告错误：%1</translation>
    </message>
    <message>
        <source>check the disk and its free space</source>
        <translation>请检查磁盘及其可用空间</translation>
    </message>
    <message>
        <source>an event has the wrong number %1</source>
        <translation>某事件的编号 %1 有误</translation>
    </message>
    <message>
        <source>restore a copy of the file</source>
        <translation>请恢复该文件的副本</translation>
    </message>
    <message>
        <source>no thread can be started: %1</source>
        <translation>无法启动线程：%1</translation>
    </message>
    <message>
        <source>raise the limit of processes</source>
        <translation>请提高进程数上限</translation>
    </message>
    <message>
        <source>there is no memory to save the state</source>
        <translation>没有内存可用于保存状态</translation>
    </message>
    <message>
        <source>no memory for an archive</source>
        <translation>没有内存可用于归档</translation>
    </message>
    <message>
        <source>the entry cannot be packed: %1</source>
        <translation>无法打包：%1</translation>
    </message>
    <message>
        <source>the file has become shorter</source>
        <translation>文件变短了</translation>
    </message>
    <message>
        <source>the archive is damaged at byte %1</source>
        <translation>归档在字节 %1 处损坏</translation>
    </message>
    <message>
        <source>remove the archive and submit the task again</source>
        <translation>请删除它并重新提交任务</translation>
    </message>
    <message>
        <source>the archive is damaged: %1</source>
        <translation>归档已损坏：%1</translation>
    </message>
    <message>
        <source>folders are nested more than %1 levels deep</source>
        <translation>文件夹嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>remove links that form a cycle, or name an inner folder</source>
        <translation>请删除指回的链接，或指定内层文件夹</translation>
    </message>
    <message>
        <source>cannot list the folder: %1</source>
        <translation>无法列出文件夹：%1</translation>
    </message>
    <message>
        <source>the file has vanished</source>
        <translation>文件已消失</translation>
    </message>
    <message>
        <source>the archive cannot be read: %1</source>
        <translation>无法读取归档：%1</translation>
    </message>
    <message>
        <source>the archive holds more than %1 files</source>
        <translation>归档中的文件超过 %1 个</translation>
    </message>
    <message>
        <source>shorten its name, or place the folder on the node and name it as node:/path</source>
        <translation>请缩短其名称，或将文件夹放到节点上并写作 node:/路径</translation>
    </message>
    <message>
        <source>the folder holds more than %1 files</source>
        <translation>文件夹中的文件超过 %1 个</translation>
    </message>
    <message>
        <source>place the folder on the node and name it as node:/path</source>
        <translation>请将文件夹放到节点上，并写作 node:/路径</translation>
    </message>
    <message>
        <source>the folder is larger than %1</source>
        <translation>文件夹大于 %1</translation>
    </message>
    <message>
        <source>is the store of %1, not of %2</source>
        <translation>是 %1 的存储，而不是 %2 的</translation>
    </message>
    <message>
        <source>is owned by incarnation %1 of %2; this process is the older incarnation %3</source>
        <translation>由 %2 的第 %1 代进程持有，而这是较早的第 %3 代</translation>
    </message>
    <message>
        <source>let the older process end</source>
        <translation>请让较早的那个结束</translation>
    </message>
    <message>
        <source>is owned by incarnation %1; writes of incarnation %2 are refused</source>
        <translation>由第 %1 代进程持有；拒绝第 %2 代进程的写入</translation>
    </message>
    <message>
        <source>does not name the SID that owns it</source>
        <translation>没有写明属于哪个 SID</translation>
    </message>
    <message>
        <source>a state store has no table &apos;%1&apos;</source>
        <translation>状态存储没有表“%1”</translation>
    </message>
    <message>
        <source>name one of %2</source>
        <translation>请指定其中之一：%2</translation>
    </message>
    <message>
        <source>move the file away</source>
        <translation>请移走它</translation>
    </message>
    <message>
        <source>contains impossible figures for the link from %1 to %2</source>
        <translation>含有从 %1 到 %2 的链路不可能有的数值</translation>
    </message>
    <message>
        <source>remove the file and measure again (divisictl links --measure)</source>
        <translation>请删除该文件并重新测量（divisictl links --measure）</translation>
    </message>
    <message>
        <source>is not a %1</source>
        <translation>不是 %1</translation>
    </message>
    <message>
        <source>name another file, or move this one away</source>
        <translation>请指定其他文件，或移走此文件</translation>
    </message>
    <message>
        <source>is a %1 of version %2; this program reads versions up to %3</source>
        <translation>是版本 %2 的 %1，而此程序只认识到版本 %3</translation>
    </message>
    <message>
        <source>use the newer program, or move the file away</source>
        <translation>请使用较新的程序，或移走该文件</translation>
    </message>
    <message>
        <source>is a %1 of version %2, not %3</source>
        <translation>是版本 %2 的 %1，而不是版本 %3</translation>
    </message>
    <message>
        <source>start the instance of this store once, which upgrades the store</source>
        <translation>请启动其实例一次：这会使它更新</translation>
    </message>
    <message>
        <source>has version %1; this program reads versions up to %2</source>
        <translation>是版本 %1，而此程序只认识到 %2</translation>
    </message>
    <message>
        <source>use the program that wrote it, or remove the file and measure again</source>
        <translation>请使用写出它的程序，或删除该文件并重新测量</translation>
    </message>
    <message>
        <source>contains an impossible price: %1</source>
        <translation>含有不可能的价格：%1</translation>
    </message>
    <message>
        <source>remove the file and measure again (divisictl profile)</source>
        <translation>请删除该文件并重新测量（divisictl profile）</translation>
    </message>
    <message>
        <source>not an export of receipts</source>
        <translation>不是收据的导出文件</translation>
    </message>
    <message>
        <source>give a file that &apos;divisictl receipts --csv FILE&apos; or &apos;divisictl receipts --json&apos; wrote</source>
        <translation>请给出 &apos;divisictl receipts --csv FILE&apos; 或 &apos;divisictl receipts --json&apos; 写出的内容</translation>
    </message>
    <message>
        <source>not an Ed25519 public key</source>
        <translation>不是 Ed25519 公钥</translation>
    </message>
    <message>
        <source>give 64 hexadecimal digits, or the file that &apos;divisictl receipts key&apos; prints</source>
        <translation>请给出 64 位十六进制数，或 &apos;divisictl receipts key&apos; 打印的文件</translation>
    </message>
    <message>
        <source>not a key for receipts</source>
        <translation>不是收据密钥</translation>
    </message>
    <message>
        <source>restore a copy of the file; without a copy, remove the file, and later receipts get a new key</source>
        <translation>请恢复该文件的副本；若没有，请删除它：此后的收据将使用另一密钥</translation>
    </message>
    <message>
        <source>libsodium finds no source of randomness</source>
        <translation>libsodium 找不到随机源</translation>
    </message>
    <message>
        <source>check that /dev/urandom exists</source>
        <translation>请查看 /dev/urandom 是否存在</translation>
    </message>
    <message>
        <source>other users can read the key file</source>
        <translation>密钥文件可被他人读取</translation>
    </message>
    <message>
        <source>run chmod 600 on the file; anyone who has read the key can forge receipts</source>
        <translation>请对它执行 chmod 600；读过密钥的人可以伪造收据</translation>
    </message>
    <message>
        <source>the recording has ended</source>
        <translation>录制已结束</translation>
    </message>
    <message>
        <source>begin another recording</source>
        <translation>请另行开始一个</translation>
    </message>
    <message>
        <source>the record is too large or has a reserved kind</source>
        <translation>记录过大，或其类型是保留的</translation>
    </message>
    <message>
        <source>is not a file</source>
        <translation>不是文件</translation>
    </message>
    <message>
        <source>name a recording (*.divisirec)</source>
        <translation>请指定录制文件（*.divisirec）</translation>
    </message>
    <message>
        <source>the recording is empty</source>
        <translation>录制文件为空</translation>
    </message>
    <message>
        <source>use another copy of the recording, or record again</source>
        <translation>请使用它的另一副本，或重新录制</translation>
    </message>
    <message>
        <source>is not a Divisi recording</source>
        <translation>不是 Divisi 的录制文件</translation>
    </message>
    <message>
        <source>choose a file that the console&apos;s Record has written (*.divisirec)</source>
        <translation>请选择由控制台的“录制”写下的文件（*.divisirec）</translation>
    </message>
    <message>
        <source>the recording ends within its header</source>
        <translation>录制在文件头中就结束了</translation>
    </message>
    <message>
        <source>the recording has layout %1; Divisi %2 reads up to %3</source>
        <translation>录制的格式为 %1；Divisi %2 最多读取到 %3</translation>
    </message>
    <message>
        <source>open the recording with the version of Divisi that wrote it, or a newer one</source>
        <translation>请用写下它的 Divisi 版本或更新的版本打开</translation>
    </message>
    <message>
        <source>the checksum of the recording&apos;s header is wrong</source>
        <translation>录制文件的文件头校验不符</translation>
    </message>
    <message>
        <source>the recording has become shorter while it was read</source>
        <translation>录制文件在读取时变短了</translation>
    </message>
    <message>
        <source>the saved state has format %1; this program reads format %2</source>
        <translation>它的格式是 %1，而此程序读取 %2</translation>
    </message>
    <message>
        <source>an older state and the later events are read instead</source>
        <translation>改为读取较早的状态及其后的事件</translation>
    </message>
    <message>
        <source>the checksum of the saved state is wrong</source>
        <translation>校验和有误</translation>
    </message>
    <message>
        <source>some pages of the saved state are missing</source>
        <translation>缺少其中的页</translation>
    </message>
    <message>
        <source>the node has no state store of this SID</source>
        <translation>该节点没有此 SID 的状态存储</translation>
    </message>
    <message>
        <source>list all stores with &apos;divisictl stores&apos;</source>
        <translation>可用 &apos;divisictl stores&apos; 列出</translation>
    </message>
    <message>
        <source>is the store of %1</source>
        <translation>是 %1 的存储</translation>
    </message>
    <message>
        <source>ask for that SID</source>
        <translation>请查询那个 SID</translation>
    </message>
    <message>
        <source>a tensor&apos;s dimensions are invalid: %1</source>
        <translation>张量的维度无效：%1</translation>
    </message>
    <message>
        <source>use another version</source>
        <translation>请使用另一个版本</translation>
    </message>
    <message>
        <source>a tensor&apos;s strides are invalid: %1</source>
        <translation>张量的步幅无效：%1</translation>
    </message>
    <message>
        <source>tensor &apos;%1&apos; has the wrong size</source>
        <translation>张量“%1”的大小不对</translation>
    </message>
    <message>
        <source>the snapshot&apos;s bytes have changed on the disk</source>
        <translation>快照在磁盘上的内容已改变</translation>
    </message>
    <message>
        <source>fetch the snapshot from another node that has it, or use an older checkpoint</source>
        <translation>请从另一个拥有它的节点取来，或退回到较早的检查点</translation>
    </message>
    <message>
        <source>the results cannot be written: %1</source>
        <translation>无法写出结果：%1</translation>
    </message>
    <message>
        <source>name a file in an existing folder that you may write to</source>
        <translation>请指定一个存在且属于您的文件夹中的文件</translation>
    </message>
    <message>
        <source>the task has no results</source>
        <translation>任务没有结果</translation>
    </message>
    <message>
        <source>only a batch task has results, after it has succeeded</source>
        <translation>只有成功结束的 batch 类任务才有结果</translation>
    </message>
    <message>
        <source>the node that has the results is no longer known</source>
        <translation>拥有结果的节点已不再为人所知</translation>
    </message>
    <message>
        <source>run the batch again</source>
        <translation>请重新运行批量任务</translation>
    </message>
    <message>
        <source>= &apos;%1&apos;: the submission lacks the weights of this version</source>
        <translation>= “%1”：提交内容缺少该版本的权重</translation>
    </message>
    <message>
        <source>run the task file with &apos;divisictl run&apos;, or from the console</source>
        <translation>请用 &apos;divisictl run&apos; 或从控制台运行该任务文件</translation>
    </message>
    <message>
        <source>no such file or folder: %1</source>
        <translation>没有这个文件或文件夹：%1</translation>
    </message>
    <message>
        <source>IDX images need a label file: name the file, or create it at this path</source>
        <translation>IDX 图像需要标签文件：请指定它，或把它放在那里</translation>
    </message>
    <message>
        <source>paths are relative to the task file</source>
        <translation>路径相对于任务文件</translation>
    </message>
    <message>
        <source>no node of the cluster has this snapshot</source>
        <translation>集群中没有拥有此快照的节点</translation>
    </message>
    <message>
        <source>start a node again that had it, or name another version</source>
        <translation>请重新启动其节点，或指定另一个版本</translation>
    </message>
    <message>
        <source>the weights of %1 were deleted</source>
        <translation>%1 的权重已被释放</translation>
    </message>
    <message>
        <source>name a version whose weights are kept; &apos;divisictl models&apos; lists them</source>
        <translation>请给出仍保留的版本，见 &apos;divisictl models&apos;</translation>
    </message>
    <message>
        <source>no stage stored this weight</source>
        <translation>没有阶段存储此权重</translation>
    </message>
    <message>
        <source>the transfer was cancelled</source>
        <translation>传送已取消</translation>
    </message>
    <message>
        <source>the data that has arrived is kept</source>
        <translation>已到达的部分会保留</translation>
    </message>
    <message>
        <source>the orchestrator requested a file that was not offered</source>
        <translation>编排器索要一个未提供的文件</translation>
    </message>
    <message>
        <source>start the node again</source>
        <translation>请让该节点恢复</translation>
    </message>
    <message>
        <source>an answer arrived without a matching request</source>
        <translation>收到了没有对应请求的答复</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有答复</translation>
    </message>
    <message>
        <source>this server cannot send a part of a blob</source>
        <translation>此服务器不能发送数据块的一部分</translation>
    </message>
    <message>
        <source>fetch the whole blob</source>
        <translation>请整体获取</translation>
    </message>
    <message>
        <source>%1 is not allowed to transfer files</source>
        <translation>%1 不得传送文件</translation>
    </message>
    <message>
        <source>ask for the role operate</source>
        <translation>请申请 operate 角色</translation>
    </message>
    <message>
        <source>unknown verb</source>
        <translation>未知的动词</translation>
    </message>
    <message>
        <source>is a folder, not a connection file</source>
        <translation>是文件夹，而不是连接文件</translation>
    </message>
    <message>
        <source>name the file connection.toml in this folder, which divisid wrote</source>
        <translation>请指定 divisid 写在其中的 connection.toml 文件</translation>
    </message>
    <message>
        <source>there is no connection file</source>
        <translation>没有连接文件</translation>
    </message>
    <message>
        <source>use the file that divisid writes in its data folder when it starts</source>
        <translation>divisid 启动时会将它写入其数据文件夹</translation>
    </message>
    <message>
        <source>not a connection file</source>
        <translation>不是连接文件</translation>
    </message>
    <message>
        <source>use the file that divisid wrote</source>
        <translation>请使用 divisid 写出的文件</translation>
    </message>
    <message>
        <source>not a line of a connection file</source>
        <translation>不是连接文件中的行</translation>
    </message>
    <message>
        <source>the file has the lines endpoint = &apos;...&apos; and server_key = &apos;...&apos;</source>
        <translation>其中有 endpoint = &apos;...&apos; 和 server_key = &apos;...&apos;</translation>
    </message>
    <message>
        <source>the other side is not an orchestrator</source>
        <translation>对方不是编排器</translation>
    </message>
    <message>
        <source>use the connection file that divisid wrote</source>
        <translation>请使用 divisid 写出的连接文件</translation>
    </message>
    <message>
        <source>the connection to the orchestrator was lost (%1)</source>
        <translation>与编排器的连接已断开（%1）</translation>
    </message>
    <message>
        <source>the orchestrator accepts no more messages at the moment</source>
        <translation>编排器不再接收消息</translation>
    </message>
    <message>
        <source>trying again</source>
        <translation>正在重试</translation>
    </message>
    <message>
        <source>not connected to the orchestrator</source>
        <translation>没有连接到编排器</translation>
    </message>
    <message>
        <source>wait for the connection, then try again</source>
        <translation>请等待连接后重试</translation>
    </message>
    <message>
        <source>%1 is larger than the limit for a message</source>
        <translation>%1 超过了消息允许的大小</translation>
    </message>
    <message>
        <source>send less at once; a model without its weights may have at most %2 MiB</source>
        <translation>请一次少发送一些；不计权重，模型最多可有 %2 MiB</translation>
    </message>
    <message>
        <source>the orchestrator ended: %1</source>
        <translation>编排器已结束：%1</translation>
    </message>
    <message>
        <source>trying again until it is back</source>
        <translation>将不断重试，直到它恢复</translation>
    </message>
    <message>
        <source>the orchestrator stopped responding</source>
        <translation>编排器没有响应</translation>
    </message>
    <message>
        <source>trying again; check whether its process hangs</source>
        <translation>正在重试；请查看其进程是否卡住</translation>
    </message>
    <message>
        <source>no answer to %1</source>
        <translation>%1 没有得到答复</translation>
    </message>
    <message>
        <source>check whether the orchestrator is running</source>
        <translation>请查看编排器是否在运行</translation>
    </message>
    <message>
        <source>too many large messages arrive at once</source>
        <translation>同时到达的大消息太多</translation>
    </message>
    <message>
        <source>try again in a moment</source>
        <translation>请稍后重试</translation>
    </message>
    <message>
        <source>this orchestrator does not know the connection</source>
        <translation>编排器不认识此连接</translation>
    </message>
    <message>
        <source>connect again</source>
        <translation>请重新连接</translation>
    </message>
    <message>
        <source>all %1 connections are in use</source>
        <translation>全部 %1 个连接已占用</translation>
    </message>
    <message>
        <source>end some clients</source>
        <translation>请结束一些客户端</translation>
    </message>
    <message>
        <source>%1 is not allowed to send data</source>
        <translation>%1 不得传送数据</translation>
    </message>
    <message>
        <source>give its key the role agent</source>
        <translation>请给它的密钥 agent 角色</translation>
    </message>
    <message>
        <source>the gateway refuses frames to %1: %2</source>
        <translation>网关拒绝发往 %1 的内容：%2</translation>
    </message>
    <message>
        <source>&apos;divisictl requests&apos; shows what gateways decided</source>
        <translation>&apos;divisictl requests&apos; 显示网关的决定</translation>
    </message>
    <message>
        <source>frames of %1 are dropped: %2</source>
        <translation>丢弃 %1 的帧：%2</translation>
    </message>
    <message>
        <source>a few stale frames are normal after a change of plan or process; if they continue, check the process</source>
        <translation>计划或进程改变时会剩下少数几个；如果持续出现，请查看该进程</translation>
    </message>
    <message>
        <source>a demand is addressed to another instance, or has no sender</source>
        <translation>需求属于另一实例，或没有发送者</translation>
    </message>
    <message>
        <source>the payload checksum is wrong</source>
        <translation>内容校验和有误</translation>
    </message>
    <message>
        <source>the consumer asks again</source>
        <translation>消费者会重新请求</translation>
    </message>
    <message>
        <source>no answer within %1 s</source>
        <translation>%1 秒内没有答复</translation>
    </message>
    <message>
        <source>check that the other program is running and that its key is right</source>
        <translation>请检查它是否在运行、密钥是否正确</translation>
    </message>
    <message>
        <source>the connection ended</source>
        <translation>连接已结束</translation>
    </message>
    <message>
        <source>the endpoint is in use</source>
        <translation>端点正在使用</translation>
    </message>
    <message>
        <source>choose another name</source>
        <translation>请选择其他名称</translation>
    </message>
    <message>
        <source>there is no connection to the neighbour</source>
        <translation>与邻居没有连接</translation>
    </message>
    <message>
        <source>&apos;divisictl routes&apos; shows which links work</source>
        <translation>&apos;divisictl routes&apos; 显示哪些链路可用</translation>
    </message>
    <message>
        <source>the probe did not end in time</source>
        <translation>探测没有及时结束</translation>
    </message>
    <message>
        <source>check that the two ends of the probe reach each other</source>
        <translation>请检查其两端能否互通</translation>
    </message>
    <message>
        <source>the probe did not end in time: %1</source>
        <translation>探测没有及时结束：%1</translation>
    </message>
    <message>
        <source>run chmod 600 on the file, and replace the key</source>
        <translation>请对它执行 chmod 600，并更换密钥</translation>
    </message>
    <message>
        <source>not a key pair</source>
        <translation>不是密钥对</translation>
    </message>
    <message>
        <source>remove the file; the next start makes a new key pair</source>
        <translation>请删除它；下次启动时会生成新的密钥对</translation>
    </message>
    <message>
        <source>an ipc endpoint needs an absolute path</source>
        <translation>ipc 端点需要绝对路径</translation>
    </message>
    <message>
        <source>write ipc:///run/user/.../name.sock</source>
        <translation>请写 ipc:///run/user/.../name.sock</translation>
    </message>
    <message>
        <source>the socket&apos;s path has %1 characters, the system allows %2</source>
        <translation>套接字路径有 %1 个字符，系统允许 %2 个</translation>
    </message>
    <message>
        <source>use a shorter data folder or set XDG_RUNTIME_DIR</source>
        <translation>请使用较短的数据文件夹，或设置 XDG_RUNTIME_DIR</translation>
    </message>
    <message>
        <source>not an endpoint</source>
        <translation>不是端点</translation>
    </message>
    <message>
        <source>write tcp://ADDRESS:PORT or ipc:///PATH</source>
        <translation>请写 tcp://地址:端口 或 ipc:///路径</translation>
    </message>
    <message>
        <source>an IPv6 address before a port needs brackets</source>
        <translation>IPv6 地址在端口之前须加方括号</translation>
    </message>
    <message>
        <source>write tcp://[ADDRESS]:PORT</source>
        <translation>请写 tcp://[地址]:端口</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a port</source>
        <translation>“%1”不是端口</translation>
    </message>
    <message>
        <source>use 1 to 65535, or * for any</source>
        <translation>请使用 1 到 65535，或用 * 表示任意</translation>
    </message>
    <message>
        <source>cannot make the folder: %1</source>
        <translation>无法创建文件夹：%1</translation>
    </message>
    <message>
        <source>check its parent&apos;s permissions and free space</source>
        <translation>请检查上级文件夹的权限和可用空间</translation>
    </message>
    <message>
        <source>the folder belongs to another user</source>
        <translation>该文件夹属于另一用户</translation>
    </message>
    <message>
        <source>remove the folder, or use another folder</source>
        <translation>请删除它，或使用其他文件夹</translation>
    </message>
    <message>
        <source>other users can enter the folder</source>
        <translation>其他人可以进入该文件夹</translation>
    </message>
    <message>
        <source>run chmod 700 on the folder</source>
        <translation>请对它执行 chmod 700</translation>
    </message>
    <message>
        <source>a tcp endpoint needs %1</source>
        <translation>tcp 端点需要 %1</translation>
    </message>
    <message>
        <source>give the keys, or use ipc on one host</source>
        <translation>请给出密钥，或在同一主机上使用 ipc</translation>
    </message>
    <message>
        <source>no such folder: %1</source>
        <translation>没有这个文件夹：%1</translation>
    </message>
    <message>
        <source>create it with mode 0700</source>
        <translation>请以权限 0700 创建它</translation>
    </message>
    <message>
        <source>a socket needs a folder that you own, with mode 0700</source>
        <translation>套接字只能位于您自己的权限为 0700 的文件夹中</translation>
    </message>
    <message>
        <source>run chmod 700 on the folder, or choose another data folder</source>
        <translation>请对它执行 chmod 700，或选择其他数据文件夹</translation>
    </message>
    <message>
        <source>the path is taken by a file that is not a socket</source>
        <translation>有一个不是套接字的文件挡在那里</translation>
    </message>
    <message>
        <source>remove the file, or choose another path</source>
        <translation>请删除它或选择其他路径</translation>
    </message>
    <message>
        <source>the socket is in use by a running process</source>
        <translation>该套接字正被运行中的进程使用</translation>
    </message>
    <message>
        <source>end that process, or use another data folder (DIVISI_DATA)</source>
        <translation>请结束该进程，或使用其他数据文件夹（DIVISI_DATA）</translation>
    </message>
    <message>
        <source>listening beyond loopback is not allowed here</source>
        <translation>此处不允许在环回地址之外监听</translation>
    </message>
    <message>
        <source>allow it in the cluster file</source>
        <translation>请在集群文件中允许它</translation>
    </message>
    <message>
        <source>this machine does not have that address</source>
        <translation>这台机器没有那个地址</translation>
    </message>
    <message>
        <source>use an address of this machine (`ip addr` lists them)</source>
        <translation>请使用这台机器的地址（`ip addr` 会列出）</translation>
    </message>
    <message>
        <source>port %1 is in use</source>
        <translation>端口 %1 正在使用</translation>
    </message>
    <message>
        <source>end the process that listens there, or choose another port (0 lets the system choose)</source>
        <translation>请结束在那里监听的进程，或选择其他端口（0 表示由系统选择）</translation>
    </message>
    <message>
        <source>cannot create a socket: %1</source>
        <translation>无法创建套接字：%1</translation>
    </message>
    <message>
        <source>raise the limit of open files</source>
        <translation>请提高打开文件数上限</translation>
    </message>
    <message>
        <source>the socket&apos;s limits or security cannot be set: %1</source>
        <translation>无法设置套接字的限制或安全性：%1</translation>
    </message>
    <message>
        <source>install Debian&apos;s libzmq5</source>
        <translation>请安装 Debian 的 libzmq5</translation>
    </message>
    <message>
        <source>cannot listen: %1</source>
        <translation>无法监听：%1</translation>
    </message>
    <message>
        <source>check the address</source>
        <translation>请检查地址</translation>
    </message>
    <message>
        <source>cannot connect: %1</source>
        <translation>无法连接：%1</translation>
    </message>
    <message>
        <source>the socket&apos;s connections cannot be watched: %1</source>
        <translation>无法监视套接字的连接：%1</translation>
    </message>
    <message>
        <source>the other side refuses this key</source>
        <translation>对方拒绝此密钥</translation>
    </message>
    <message>
        <source>ask an admin to add the key with `divisictl keys add`</source>
        <translation>请用 `divisictl keys add` 添加该密钥</translation>
    </message>
    <message>
        <source>the handshake failed</source>
        <translation>握手失败</translation>
    </message>
    <message>
        <source>check that the server key and the endpoint belong together</source>
        <translation>请检查服务器公钥与地址是否对应</translation>
    </message>
    <message>
        <source>nobody listens</source>
        <translation>没有进程在监听</translation>
    </message>
    <message>
        <source>start the program that should listen there, or check the address</source>
        <translation>请启动它，或检查地址</translation>
    </message>
    <message>
        <source>the file is not on this machine, and no node is known to hold it</source>
        <translation>文件不在这台机器上，也没有已知的节点拥有它</translation>
    </message>
    <message>
        <source>repeat this command on the machine where the task was submitted</source>
        <translation>请在提交任务的机器上执行</translation>
    </message>
</context>
</TS>
